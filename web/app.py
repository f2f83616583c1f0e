"""The server of the page: Starlette's routes, and the checks of who may come."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import logging
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from playout.games.errors import PlayoutError
from playout.web.hall import Hall
from playout.web.messages import LARGEST, Answer, Note, Said, Sit, View

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.websockets import WebSocket

PAGE = Path(__file__).with_name("page")
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}
REPORT = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
"""The policy of the report, which has its styles in itself."""
REFRESH = 10
"""Seconds after which a browser asks for the report again."""
WAITING = 100
"""Messages that wait for a slow page; of more it gets the last position alone."""
LONGEST_NOTE = 500
"""Letters of a note."""
PATIENCE = 10.0
"""Seconds for a page to take its seat."""
WRONG, POLICY, FULL = 4400, 4403, 4429
"""Codes with which a websocket closes: no message, no right, no room."""

Report = Callable[[], str]
"""Gives an HTML document without scripts. Called on any thread."""
NO_REPORTS: Mapping[str, Report] = {}

logger = logging.getLogger(__name__)


def library() -> Any:
    """Returns the framework.

    Raises:
        PlayoutError: if it is not installed.
    """
    try:
        import starlette
        import uvicorn  # noqa: F401
        import websockets  # noqa: F401
    except ImportError:
        raise PlayoutError("the page needs starlette and uvicorn: pip install 'playout[web]'") from None
    return starlette


def make_app(
    hall: Hall, hosts: Sequence[str], token: str | None = None, reports: Mapping[str, Report] = NO_REPORTS
) -> Starlette:
    """Returns the application.

    Args:
        hall: the tables.
        hosts: names by which the server may be asked for; ``*`` allows any.
        token: what a page has to show; None for anybody.
        reports: what there is to watch, by its address, such as ``tournament``.
    """
    from starlette.applications import Starlette
    from starlette.middleware import Middleware
    from starlette.middleware.trustedhost import TrustedHostMiddleware
    from starlette.responses import FileResponse, HTMLResponse, Response
    from starlette.routing import Mount, Route, WebSocketRoute
    from starlette.staticfiles import StaticFiles

    async def start(_: Request) -> FileResponse:
        return FileResponse(PAGE / "index.html")

    def watch(request: Request) -> Response:
        report = reports.get(request.path_params["name"])
        if report is None:
            return Response("nothing to watch", 404)
        if not _knows(token, request.query_params.get("token", "")):
            return Response("a wrong token", 403)
        try:
            return HTMLResponse(report(), headers={"Refresh": str(REFRESH), "Content-Security-Policy": REPORT})
        except PlayoutError as error:
            return Response(str(error), 503)

    async def live(socket: WebSocket) -> None:
        if socket.headers.get("origin", "").partition("://")[2] != socket.headers.get("host"):
            await socket.close(POLICY)
            return
        await socket.accept()
        await _Guest(socket, hall, token, list(reports)).stay()

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        await hall.close()

    return Starlette(
        routes=[
            Route("/", start),
            Route("/{name}", watch),
            WebSocketRoute("/live", live),
            Mount("/page", StaticFiles(directory=PAGE)),
        ],
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=list(hosts)), Middleware(_Headers)],
        lifespan=lifespan,
    )


class _Headers:
    """Adds ``HEADERS`` to each response."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        async def with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                given = {name for name, _ in message["headers"]}
                own = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
                added = [(name, value) for name, value in own if name not in given]
                message = {**message, "headers": [*message["headers"], *added]}
            await send(message)

        await self._app(scope, receive, with_headers)


class _Guest:
    """A page with its websocket."""

    def __init__(self, socket: WebSocket, hall: Hall, token: str | None, reports: Sequence[str]) -> None:
        self._socket, self._hall, self._token, self._reports = socket, hall, token, reports
        self._address = "" if socket.client is None else f"{socket.client.host}:{socket.client.port}"
        self._decoder: msgspec.json.Decoder[Said] = msgspec.json.Decoder(Said)
        self._waiting: asyncio.Queue[Answer] = asyncio.Queue()

    async def stay(self) -> None:
        """Serves the page until it goes."""
        from starlette.websockets import WebSocketDisconnect

        mark = ""
        sender = asyncio.create_task(self._send())
        try:
            async with asyncio.timeout(PATIENCE):
                first = await self._hear()
            if not isinstance(first, Sit) or not _knows(self._token, first.token):
                await self._socket.close(POLICY)
                return
            mark, table = await self._hall.sit(first.table, self._tell, self._reports)
            logger.info("a page has come: %s", self._address)
            while True:
                said = await self._hear()
                try:
                    await table.take(said)
                except PlayoutError as error:
                    self._tell(Note(text=str(error)))
        except (msgspec.ValidationError, msgspec.DecodeError) as error:
            await self._part(WRONG, str(error))
        except PlayoutError as error:
            await self._part(FULL, str(error))
        except (WebSocketDisconnect, TimeoutError, RuntimeError):
            pass  # RuntimeError: the library noticed the end as it wrote
        finally:
            sender.cancel()
            if mark:
                logger.info("a page has gone: %s", self._address)
                await self._hall.leave(mark, self._tell)

    async def _hear(self) -> Said:
        from starlette.websockets import WebSocketDisconnect

        frame = await self._socket.receive()
        if frame["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(frame.get("code", 1005))
        text = frame.get("text")
        if text is None or len(text) > LARGEST:
            raise msgspec.ValidationError(f"a text of at most {LARGEST} letters expected")
        return self._decoder.decode(text)

    def _tell(self, answer: Answer) -> None:
        if isinstance(answer, Note):
            answer = Note(text=answer.text[:LONGEST_NOTE])
        if self._waiting.qsize() >= WAITING:
            if not isinstance(answer, View):
                return
            while not self._waiting.empty():  # a position makes all that was said before it void
                self._waiting.get_nowait()
        self._waiting.put_nowait(answer)

    async def _send(self) -> None:
        with contextlib.suppress(Exception):  # the page is gone; the reader sees it too
            while True:
                await self._socket.send_text(msgspec.json.encode(await self._waiting.get()).decode())

    async def _part(self, code: int, why: str) -> None:
        logger.info("a page was sent away: %s", why)
        with contextlib.suppress(RuntimeError):
            await self._socket.send_text(msgspec.json.encode(Note(text=why)).decode())
            await self._socket.close(code)


def _knows(token: str | None, shown: str) -> bool:
    """Whether a page that shows something may come."""
    return token is None or hmac.compare_digest(token.encode(), shown.encode())
