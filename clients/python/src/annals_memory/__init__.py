"""Client of Annals, long-term memory for AI agents.

`Annals` and `AsyncAnnals` call the service. The other modules give its memory to frameworks whose own clients cannot reach it; each
needs its framework, which the extra of the same name installs:

- `annals_memory.langgraph`: `AnnalsStore`, a `BaseStore`
- `annals_memory.llama_index`: `AnnalsMemoryBlock`
- `annals_memory.pydantic_ai`: `AnnalsMemoryStore`, for `Memory` of pydantic-ai-harness
- `annals_memory.openai_agents`: `AnnalsSession`
- `annals_memory.anthropic`: `AnnalsMemoryTool`, `AsyncAnnalsMemoryTool`
"""

from .agent import Agent
from .async_agent import AsyncAgent
from .async_client import AsyncAnnals
from .client import Annals
from .errors import (
    AnnalsError,
    AuthenticationError,
    ConflictError,
    InvalidRequestError,
    NotFoundError,
    OverloadedError,
    PermissionDeniedError,
    ProblemError,
    UnreachableError,
)

__all__ = [
    "Agent",
    "Annals",
    "AnnalsError",
    "AsyncAgent",
    "AsyncAnnals",
    "AuthenticationError",
    "ConflictError",
    "InvalidRequestError",
    "NotFoundError",
    "OverloadedError",
    "PermissionDeniedError",
    "ProblemError",
    "UnreachableError",
]
