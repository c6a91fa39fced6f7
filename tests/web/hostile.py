"""What strangers may try: markup in everything that they can name, another site that uses an open session, streams that nobody
reads, and a memory that is erased while somebody looks at it."""

import json
import re
import socket
import threading
import urllib.parse
import urllib.request
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from browser import Service, Walk, command

MARK = "<img src=x onerror=hacked=1>"
EVIL = f"'\"{MARK}</textarea></title></script><script>hacked=2</script>{{{{7*7}}}}"
# Streams of one process, and more.
STREAMS = 80


def markup_is_text_everywhere(playwright, service):
    """In the names of agents, people, conversations, documents, facts and prices, in questions, and in what an error repeats."""
    agent = EVIL[:100]
    path = urllib.parse.quote(agent, safe="")
    service.post(f"/v1/agents/{path}/messages?wait=searchable", {"conversation": EVIL[:90], "messages": [
        {"role": "user", "content": f"I live in Lisbon. The walnut {EVIL}", "at": "2026-03-04T10:00:00Z", "name": MARK}]})
    service.post(f"/v1/agents/{path}/facts", {"subject": MARK, "predicate": "likes", "object": EVIL[:100]})
    service.put(f"/v1/agents/{path}/documents/{urllib.parse.quote(MARK)}/{urllib.parse.quote(EVIL[:60], safe='')}", {"value": EVIL})
    walk = Walk(playwright, service.address)
    question = urllib.parse.quote("walnut " + EVIL)
    shown = [f"/agents/{path}?period=2026-W10&open=2026-03-04", f"/agents/{path}/search?q={question}&explain=yes",
             f"/agents/{path}/context?prompt={question}&speaker={question}", f"/agents/{path}/facts?about={urllib.parse.quote(MARK)}&depth=2",
             f"/agents/{path}?go={question}", f"/agents/{path}/forget?conversation={urllib.parse.quote(EVIL[:90])}", "/?all=yes"]
    refused = [f"/agents/{path}?period={question}", f"/agents/{path}?open={question}", f"/agents/{question}", f"/{question}", f"/agents/{path}/search?q=x&from={question}",
               f"/agents/{path}/search?q=x&grain={question}", f"/agents/{path}/memories/{question}", f"/login?to={question}", f"/costs?agent={question}",
               f"/agents/{path}/import/{question}", f"/assets/{question}/x.js"]
    for address in shown + refused:
        status = walk.go(address)
        assert (status == 200) == (address in shown or address.startswith("/login")), (status, address)
        assert status < 500, address
        assert walk.page.evaluate("[window.hacked, document.querySelectorAll('img[src=x], main script').length]") == [None, 0], address
    for address in shown[:4]:
        walk.go(address)
        assert MARK in walk.page.inner_text("body"), address
    walk.go(shown[0])
    walk.page.locator("#opened .turns a.when").click()
    walk.page.wait_for_url(re.compile("/memories/"))
    assert EVIL[:90] in walk.page.inner_text("dl.notes"), "the name of the conversation"
    walk.done()


class Elsewhere:
    """A page of another site: `localhost` is another one than 127.0.0.1."""

    def __init__(self, html):
        page = html.encode()

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                # A browser may leave before it has read the page.
                with suppress(BrokenPipeError):
                    self.wfile.write(page)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.address = f"http://localhost:{self.server.server_port}/"


def other_sites_change_nothing(playwright, data):
    """With an open session of the operator, and without any key: links, forms, requests and frames of another site."""
    for has_key in (False, True):
        key = re.search(r"annals_\w+", command("key", "add", "admin", "--scope", "admin", "--data", str(data))).group() if has_key else None
        service = Service(data)
        target = service.address
        forms = "".join(f"<form id=f{number} method=post action='{target}{path}'><input name=token value=x><input name=name value=stolen><input name=scope value=admin>"
                        "<input name=sure value=yes><input name=conversation value=2025-01-06></form>" for number, path in enumerate(("/keys", "/agents/demo/forget", "/logout")))
        other = Elsewhere(f"<a id=in href='{target}/keys'>in</a>{forms}<iframe name=framed src='{target}/keys'></iframe>")
        walk = Walk(playwright, target)
        page = walk.page
        if key:
            walk.go("/keys")
            page.fill("#key", key)
            page.keyboard.press("Enter")
            page.wait_for_url(re.compile("/keys"))
        # A session cookie of another program's making is worth nothing, and a copied one is `HttpOnly` and of this address alone.
        cookies = walk.context.cookies()
        assert [(cookie["httpOnly"], cookie["sameSite"], cookie["domain"]) for cookie in cookies] == [(True, "Strict", "127.0.0.1")] * has_key, cookies
        for number in range(3):
            page.goto(other.address)
            with page.expect_navigation():
                page.evaluate(f"document.getElementById('f{number}').submit()")
            assert page.url.startswith((target, "chrome-error:")), page.url
            assert "Nothing was changed" in page.inner_text("body") or "origin" in page.inner_text("body").lower(), page.inner_text("body")[:300]
        page.goto(other.address)
        framed = page.frame("framed")
        assert framed is None or "New key" not in (framed.inner_text("body") if framed.url.startswith(target) else "")
        read = page.evaluate(f"fetch('{target}/keys', {{credentials: 'include'}}).then(r => r.text()).catch(e => 'refused')")
        assert read == "refused", read[:200]
        sent = page.evaluate(f"""fetch('{target}/v1/agents/demo', {{method: 'DELETE', credentials: 'include'}}).then(r => r.status).catch(e => 'refused')""")
        assert sent == "refused", sent
        sent = page.evaluate(f"""fetch('{target}/v1/agents/demo/messages', {{method: 'POST', mode: 'no-cors', credentials: 'include', headers: {{'Content-Type': 'text/plain'}},
            body: '{{"conversation":"x","messages":[{{"role":"user","content":"planted"}}]}}'}}).then(r => r.type).catch(e => 'refused')""")
        if key:
            page.goto(other.address)
            page.click("#in")
            page.wait_for_url(re.compile("/login"))
        walk.browser.close()
        walk = Walk(playwright, target)
        if key:
            walk.go("/agents/demo/search?q=planted")
            walk.page.fill("#key", key)
            walk.page.keyboard.press("Enter")
            walk.page.wait_for_url(re.compile("q=planted"))
        walk.go("/agents/demo/search?q=planted")
        assert "planted" not in [mark.inner_text() for mark in walk.page.locator("mark").all()]
        walk.go("/keys")
        assert "stolen" not in walk.page.inner_text("main"), "another site made a key"
        walk.done()
        service.stop()


def streams_that_nobody_reads_block_nobody(playwright, service):
    """Pages are shown while more streams are open than the service serves, and none of them is read."""
    host, port = urllib.parse.urlsplit(service.address).netloc.split(":")
    streams = []
    for _ in range(STREAMS):
        stream = socket.create_connection((host, int(port)), timeout=20)
        stream.sendall(f"GET /events?agent=demo HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
        streams.append(stream)
    answers = [stream.recv(12).decode() for stream in streams]
    assert 1 <= answers.count("HTTP/1.1 200") <= 64 and set(answers) == {"HTTP/1.1 200", "HTTP/1.1 503"}, answers
    walk = Walk(playwright, service.address)
    assert walk.go("/agents/demo?period=2025") == 200
    walk.page.locator("#strata").wait_for()
    walk.faults = [fault for fault in walk.faults if "503" not in fault and "EventSource" not in fault]
    walk.done()
    for stream in streams:
        stream.close()


def erased_memory_ends_its_pages(playwright, service):
    """Two tabs: in one the operator erases all, the other says so. The way back does not show the former page."""
    service.post("/v1/agents/gone/messages?wait=searchable", {"conversation": "c", "messages": [
        {"role": "user", "content": "We sold the boat to Zelda.", "at": "2026-03-04T10:00:00Z"}]})
    walk = Walk(playwright, service.address)
    page, tab = walk.page, walk.context.new_page()
    walk.go("/agents/gone?period=2026-W10&open=2026-03-04")
    tab.goto(service.address + "/agents/gone/forget?conversation=c")
    tab.check("input[name=sure]")
    tab.get_by_role("button", name="Forget it").click()
    tab.get_by_role("heading", name="Forgotten").wait_for()
    # The first tab follows by itself, and nothing of the text is left in it.
    page.wait_for_function("() => !document.body.innerText.includes('Zelda')")
    tab.go_back()
    tab.wait_for_load_state()
    assert "Zelda" not in tab.inner_text("body"), "the dry run shows erased text on the way back"
    assert tab.goto(service.address + "/agents/gone/forget?conversation=c").status in (200, 404)
    service.send("DELETE", "/v1/agents/gone", None)
    page.reload()
    assert page.get_by_role("heading", name="Not found").count() + page.locator("main .empty").count() > 0
    walk.done()


def two_tabs_may_disagree(playwright, service):
    """A form that was loaded before another tab changed the same thing still does what it says."""
    service.post("/v1/agents/tabs/messages?wait=searchable", {"conversation": "c", "messages": [
        {"role": "user", "content": "The key is under the pot.", "at": "2026-03-04T10:00:00Z"}]})
    walk = Walk(playwright, service.address)
    page, tab = walk.page, walk.context.new_page()
    walk.go("/agents/tabs?period=2026-03-04")
    page.locator("#opened .turns a.when").click()
    page.wait_for_url(re.compile("/memories/"))
    tab.goto(page.url)
    for each in (page, tab):
        each.get_by_role("button", name="Pin").click()
        each.get_by_role("button", name="Unpin").wait_for()
    walk.go("/agents/tabs?period=2026-03-04")
    page.get_by_role("link", name="Wider").click()
    page.wait_for_url(re.compile("2026-W10"))
    page.get_by_role("link", name="Search", exact=True).click()
    page.wait_for_url(re.compile("/search"))
    page.go_back()
    page.wait_for_url(re.compile("2026-W10"))
    page.locator("#strata").wait_for()
    page.go_back()
    page.wait_for_url(re.compile("2026-03-04"))
    page.get_by_role("heading", name="Wed 4 March 2026").first.wait_for()
    walk.done()
