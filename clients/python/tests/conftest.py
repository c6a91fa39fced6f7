"""The tests need a running service, at ANNALS_URL with ANNALS_KEY. Each test gets an agent of its own."""

import uuid

import pytest

from annals_memory import Annals


@pytest.fixture(scope="session")
def annals():
    with Annals() as annals:
        yield annals


@pytest.fixture
def name():
    return f"py-{uuid.uuid4().hex}"


@pytest.fixture
def memory(annals, name):
    return annals.agent(name)
