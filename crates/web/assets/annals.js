// Comfort on top of pages that work without script: links of the timeline load without a flash, keys follow its tools, the
// wheel and two fingers zoom. All addresses come from links in the page; nothing is computed here.
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
    const isFree = !at || at === document.body || at.id === "main" || at.closest("#strata, .tools");
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

  // Back and forward load the page of the address: every view has one.
  window.addEventListener("popstate", () => window.location.reload());
})();
