// Comfort on top of pages that work without script: links of the timeline load without a flash, keys follow its tools, the
// wheel and two fingers zoom, a brush fills the fields of days, and events say when to load a part again. All addresses come
// from the page.
"use strict";

(function () {
  const PAUSE = 350; // Milliseconds between two steps of wheel or fingers.
  let last = 0;

  const strata = () => document.getElementById("strata");

  // Replaces the content of the page by that of a link, and keeps the place on the page.
  function go(link) {
    const focused = strata() && strata().contains(document.activeElement) ? "strata" : null;
    const key = document.activeElement && document.activeElement.dataset && document.activeElement.dataset.key;
    if (!window.htmx) { window.location.assign(link.href); return; }
    const address = link.getAttribute("href");
    window.htmx
      .ajax("GET", address, { target: "#main", select: "#main", swap: "outerHTML", source: document.getElementById("main") })
      .then(() => {
        // After the swap, so that the address never names a view that is not shown yet.
        window.history.pushState({}, "", address);
        const tool = key && document.querySelector('a[data-key="' + key + '"]');
        if (tool) tool.focus({ preventScroll: true });
        else if (focused && strata()) strata().focus({ preventScroll: true });
      });
  }

  function isPlain(event) {
    return event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  }

  document.addEventListener("click", (event) => {
    const link = event.target.closest && event.target.closest("#strata a, .tools a, .panel .children a.when, .panel .up a, details.list a");
    if (!link || !isPlain(event)) return;
    const address = typeof link.href === "string" ? link.href : link.href.baseVal;
    if (!address || !strata()) return;
    event.preventDefault();
    go({ href: address, getAttribute: () => address });
  });

  document.addEventListener("keydown", (event) => {
    const tools = document.querySelector(".tools");
    if (!tools || event.metaKey || event.ctrlKey || event.altKey || event.shiftKey) return;
    const at = document.activeElement;
    const isFree = !at || at === document.body || at.id === "main" || (at.closest("#strata, .tools") && !at.closest(".brush, form"));
    const link = isFree && document.querySelector('.tools a[data-key="' + event.key + '"]');
    if (!link) return;
    event.preventDefault();
    go(link);
  });

  function isTooSoon() {
    const now = Date.now();
    if (now - last < PAUSE) return true;
    last = now;
    return false;
  }

  function closer(x) {
    const parts = strata().querySelectorAll("svg.strata > a.axis");
    const first = parts.length ? parts[0].querySelector("svg").getAttribute("y") : null;
    for (const part of parts) {
      const box = part.getBoundingClientRect();
      if (part.querySelector("svg").getAttribute("y") === first && box.left <= x && x < box.right) {
        return { getAttribute: () => part.href.baseVal, href: part.href.baseVal };
      }
    }
    return null;
  }

  function zoom(isIn, x) {
    const link = isIn ? closer(x) : document.querySelector('.tools a[data-key="ArrowUp"]');
    if (link && !isTooSoon()) go(link);
  }

  document.addEventListener("wheel", (event) => {
    if (!event.target.closest || !event.target.closest("svg.strata")) return;
    event.preventDefault();
    if (Math.abs(event.deltaY) >= Math.abs(event.deltaX)) { if (Math.abs(event.deltaY) > 3) zoom(event.deltaY < 0, event.clientX); return; }
    const link = document.querySelector('.tools a[data-key="' + (event.deltaX > 0 ? "ArrowRight" : "ArrowLeft") + '"]');
    if (link && !isTooSoon()) go(link);
  }, { passive: false });

  let spread = 0;
  const distance = (touches) => Math.hypot(touches[0].clientX - touches[1].clientX, touches[0].clientY - touches[1].clientY);
  document.addEventListener("touchstart", (event) => {
    const isOn = event.touches.length === 2 && event.target.closest && event.target.closest("svg.strata");
    spread = isOn ? distance(event.touches) : 0;
  }, { passive: true });
  document.addEventListener("touchmove", (event) => {
    if (!spread || event.touches.length !== 2) return;
    event.preventDefault();
    const ratio = distance(event.touches) / spread;
    if (ratio < 1.3 && ratio > 0.75) return;
    const middle = (event.touches[0].clientX + event.touches[1].clientX) / 2;
    spread = 0;
    zoom(ratio > 1, middle);
  }, { passive: false });

  // The brush. Days are counted in UTC, so that no day has 23 hours.
  const DAY = 86400000;
  const brush = () => document.querySelector(".brush");
  const field = (side) => document.querySelector('#between input[name="' + side + '"]');
  const number = (text) => Math.round(Date.parse(text + "T00:00:00Z") / DAY);
  const day = (number) => new Date(number * DAY).toISOString().slice(0, 10);
  const clamp = (value, least, most) => Math.min(Math.max(value, least), most);

  function edges() {
    const first = number(brush().dataset.first), last = number(brush().dataset.last);
    return { first, last, days: last - first + 1 };
  }

  // Shows the days of the fields.
  function draw() {
    if (!brush() || !field("from")) return;
    const { first, last, days } = edges();
    const from = clamp(number(field("from").value) || first, first, last), to = clamp(number(field("to").value) || last, first, last);
    const left = (from - first) / days * 100, right = (to - first + 1) / days * 100;
    brush().hidden = false;
    brush().classList.toggle("whole", from === first && to === last);
    const chosen = brush().querySelector(".chosen");
    chosen.style.left = left + "%";
    chosen.style.width = Math.max(right - left, 0) + "%";
    for (const handle of brush().querySelectorAll(".handle")) {
      const isFrom = handle.dataset.side === "from", value = isFrom ? from : to;
      handle.style.left = (isFrom ? left : right) + "%";
      handle.setAttribute("aria-valuemin", first);
      handle.setAttribute("aria-valuemax", last);
      handle.setAttribute("aria-valuenow", value);
      handle.setAttribute("aria-valuetext", new Date(value * DAY).toLocaleDateString(undefined, { timeZone: "UTC", dateStyle: "long" }));
    }
  }

  function choose(from, to) {
    field("from").value = day(Math.min(from, to));
    field("to").value = day(Math.max(from, to));
    draw();
  }

  document.addEventListener("keydown", (event) => {
    const handle = event.target.closest && event.target.closest(".brush .handle");
    if (!handle || event.ctrlKey || event.metaKey || event.altKey) return;
    const { first, last } = edges(), side = handle.dataset.side;
    const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowDown: -1, ArrowUp: 1, PageDown: -7, PageUp: 7, Home: first - last, End: last - first };
    if (!(event.key in steps)) return;
    event.preventDefault();
    const from = number(field("from").value), to = number(field("to").value), step = steps[event.key] * (event.shiftKey ? 7 : 1);
    if (side === "from") choose(clamp(from + step, first, to), to);
    else choose(from, clamp(to + step, from, last));
  });

  let anchor = null;
  const pointed = (event) => {
    const box = brush().getBoundingClientRect(), { first, last, days } = edges();
    return clamp(first + Math.floor((event.clientX - box.left) / box.width * days), first, last);
  };
  document.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || !event.target.closest || !event.target.closest(".brush")) return;
    const handle = event.target.closest(".handle");
    anchor = handle ? number(field(handle.dataset.side === "from" ? "to" : "from").value) : pointed(event);
    event.preventDefault();
    if (handle) handle.focus(); else choose(anchor, anchor);
    brush().setPointerCapture(event.pointerId);
  });
  document.addEventListener("pointermove", (event) => { if (anchor !== null && brush()) choose(anchor, pointed(event)); });
  for (const end of ["pointerup", "pointercancel"]) document.addEventListener(end, () => { anchor = null; });
  document.addEventListener("change", (event) => { if (event.target.closest("#between")) draw(); });
  document.addEventListener("htmx:afterSettle", draw);
  document.addEventListener("DOMContentLoaded", draw);
  draw();

  // The slider of days on the page of facts: each day that it passes is shown after a pause.
  const SETTLE = 150; // Milliseconds.
  let settling = 0;
  const slider = () => document.getElementById("as-of-slider");
  const chosenDay = () => number(slider().dataset.first) + Number(slider().querySelector("input").value);

  function showSlider() {
    if (!slider() || !window.htmx) return;
    slider().hidden = false;
    const value = chosenDay(), name = new Date(value * DAY).toLocaleDateString("en-GB", { timeZone: "UTC", dateStyle: "long" });
    slider().querySelector("output").textContent = name;
    slider().querySelector("input").setAttribute("aria-valuetext", name);
  }

  function showFacts() {
    const form = document.querySelector("form.search");
    form.querySelector('input[name="as_of"]').value = day(chosenDay());
    const fields = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
    const address = form.getAttribute("action") + "?" + fields;
    window.htmx.ajax("GET", address, { target: "#facts", select: "#facts", swap: "outerHTML" })
      .then(() => window.history.replaceState({}, "", address));
  }

  document.addEventListener("input", (event) => {
    if (!event.target.closest("#as-of-slider")) return;
    showSlider();
    clearTimeout(settling);
    settling = setTimeout(showFacts, SETTLE);
  });
  showSlider();

  // Events. A page that nobody sees holds no connection: a browser has six of them for a host.
  const POLL_INTERVAL = 15000; // Milliseconds until a page without events looks again.
  let events = null, seen = "", later = 0;

  function watch() {
    const main = document.getElementById("main");
    const address = main && main.dataset.live;
    if (events) events.close();
    events = null;
    clearTimeout(later);
    if (!address || document.hidden || !window.EventSource) return;
    const url = new URL(address, window.location.href);
    if (seen) url.searchParams.set("since", seen);
    events = new EventSource(url);
    events.addEventListener("change", (event) => { seen = event.lastEventId; announce(); });
    events.addEventListener("error", () => {
      // The browser connects again by itself, unless it was refused.
      if (!events || events.readyState !== EventSource.CLOSED) return;
      later = setTimeout(() => { announce(); watch(); }, POLL_INTERVAL);
    });
  }

  // Parts of the page load themselves at this event. Nothing is swapped under the hands of somebody who drags.
  function announce() {
    if (anchor === null) document.body.dispatchEvent(new CustomEvent("annalschange"));
  }

  document.addEventListener("visibilitychange", watch);
  // A page that is kept for the way back must not hold a connection either.
  window.addEventListener("pagehide", () => { if (events) events.close(); events = null; });
  window.addEventListener("pageshow", (event) => { if (event.persisted) watch(); });
  watch();

  // A part that was asked for by somebody who has to sign in again is not the part.
  document.addEventListener("htmx:beforeSwap", (event) => {
    const address = event.detail.xhr && event.detail.xhr.responseURL;
    if (!address || new URL(address).pathname !== "/login" || window.location.pathname === "/login") return;
    event.preventDefault();
    window.location.reload();
  });

  // Back and forward load the page of the address: every view has one.
  window.addEventListener("popstate", () => window.location.reload());
})();
