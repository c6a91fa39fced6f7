"""Three questions of a new user, answered by the page alone: every step is a word that the page shows."""

import json
import re
from datetime import date, timedelta

from browser import Service, Walk, command
from model import Model

WEDNESDAY = "2026-03-11T09:00:00Z"


def what_happened_in_week_24(playwright, address):
    """And from which messages?"""
    walk = Walk(playwright, address, viewport={"width": 1280, "height": 900})
    page = walk.page
    walk.go("/")
    page.fill("#go", "week 24")
    page.get_by_role("button", name="Go").click()
    walk.settle(r"period=2025-W24$")
    assert page.inner_text("#opened-name") == "Week 24 of 2025"
    told = page.locator("#opened .sentences li")
    text = told.first.locator(".said").inner_text().split("source")[0].strip()
    with page.expect_navigation():
        told.first.get_by_role("link", name="source").first.click()
    message = page.inner_text("main .text")
    assert text.split(" ", 1)[1][:40] in message, (text, message)
    assert "2025-06-" in page.inner_text("main dl.notes"), "the conversation of the message"
    page.get_by_role("link", name="Show in the timeline").click()
    page.wait_for_url(re.compile("open=t-"))
    walk.done()


def where_did_she_live_in_march(playwright, address):
    """And who said so?"""
    walk = Walk(playwright, address, viewport={"width": 1280, "height": 900})
    page = walk.page
    walk.go("/agents/demo/search?q=Where+did+she+live+in+March+2025%3F")
    page.get_by_role("link", name="facts of that time").click()
    page.wait_for_url(re.compile("as_of=2025-03-31"))
    home = lambda: page.locator("tr", has_text="lives in").first
    row = home().inner_text()
    assert "Lisbon" in row and "Nora" in row and "6 January 2025" in row, row
    # The slider shows the other home without another page.
    slider = page.get_by_role("slider", name="As of")
    slider.focus()
    page.keyboard.press("End")
    page.locator("tr", has_text="Porto").first.wait_for()
    assert "as_of=2026-03-11" in page.url and page.locator("tr", has_text="lives in").count() == 1
    # A page is a tenth of the slider, here 43 days.
    for key in ["PageDown"] * 8 + ["ArrowLeft"] * 10:
        page.keyboard.press(key)
    page.locator("tr", has_text="lives in").filter(has_text="Lisbon").wait_for()
    page.wait_for_url(re.compile("as_of=2025-03-"))
    walk.axe("slider")
    with page.expect_navigation():
        home().get_by_role("link", name="January 2025").click()
    assert "I live in Lisbon." in page.inner_text("main .text") and "Nora" in page.inner_text("h1")
    walk.done()


def what_did_last_week_cost(playwright, folder):
    """And why did a summary fail?"""
    model = Model(lambda prompt: "I cannot summarise this." if "sauna" in prompt else None)
    data = folder / "costs"
    data.mkdir()
    (data / "annals.toml").write_text(f'[models]\nbase_url = "{model.address}"\nmodel = "small-model"\ndaily_tokens = 20000\n')
    texts = ["Room 12 wants a late breakfast.", "The sauna is closed until Friday.", "A group of nine arrives on Saturday."]
    days = [date(2026, 3, 2) + timedelta(days=number) for number in range(3)]
    messages = folder / "hotel.jsonl"
    messages.write_text("\n".join(json.dumps({"agent": "hotel", "conversation": str(day), "role": "user", "name": "Desk", "at": f"{day}T09:00:00Z",
                                              "content": text}) for day, text in zip(days, texts)))
    command("import", str(messages), "--data", str(data), now="2026-03-05T07:00:00Z")
    command("rollup", "--data", str(data), now="2026-03-05T07:00:00Z", expect=(0, 1))
    service = Service(data, WEDNESDAY)
    walk = Walk(playwright, service.address, viewport={"width": 1280, "height": 900})
    page = walk.page
    walk.go("/")
    page.get_by_role("link", name="Costs").click()
    page.get_by_role("link", name="Last week").click()
    page.wait_for_url(re.compile("from=2026-03-02&to=2026-03-08"))
    assert "Without a price: small-model" in page.inner_text("main")
    page.fill("input[name=currency]", "EUR")
    page.fill("input[name=input_0]", "1000")
    page.fill("input[name=output_0]", "2000")
    page.get_by_role("button", name="Save prices").click()
    page.get_by_role("link", name="Last week").click()
    page.wait_for_url(re.compile("from=2026-03-02&to=2026-03-08"))
    lead = page.inner_text("main p.lead")
    assert re.search(r"[1-9]\S* EUR for [1-9]\d* tokens of 1 agent", lead), lead
    assert "summaries of days" in page.inner_text("main")
    page.get_by_role("link", name="Jobs").click()
    failed = page.locator("#failures ~ div tbody tr")
    assert failed.count() == 1, failed.all_inner_texts()
    row = failed.filter(has_text="2026-03-03")
    assert "hotel" in row.inner_text() and "small-model" in row.inner_text(), row.inner_text()
    row.get_by_role("link", name="2026-03-03").click()
    page.get_by_text("Why it failed").wait_for()
    assert "Tried again" in page.inner_text("#opened")
    walk.axe("failed day")
    walk.done()
    service.stop()
