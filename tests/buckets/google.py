"""A server with the interface of Google Cloud Storage that object_store uses: google.py PORT. It runs until it is killed.

That interface is S3's with other names of headers, so moto answers, after the headers were renamed. The bucket "test" exists.
Nothing is signed. Handles one request after another, because moto would let several requests create the same object.
"""

import io
import sys
import threading

from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import run_simple

# moto refuses requests without a signature, and checks none.
SIGNED = "AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0"
RENAMED = {"HTTP_X_GOOG_COPY_SOURCE": "HTTP_X_AMZ_COPY_SOURCE"}

moto, one_at_a_time = DomainDispatcherApplication(create_backend_app), threading.Lock()


def serve(environ, start_response):
    """Answers one request as Google Cloud Storage does."""
    length = int(environ.get("CONTENT_LENGTH") or 0)
    environ["wsgi.input"] = io.BytesIO(environ["wsgi.input"].read(length))
    environ["HTTP_AUTHORIZATION"] = SIGNED
    for google, amazon in RENAMED.items():
        if google in environ:
            environ[amazon] = environ.pop(google)
    generation = environ.pop("HTTP_X_GOOG_IF_GENERATION_MATCH", None)
    if generation == "0":
        environ["HTTP_IF_NONE_MATCH"] = "*"
    elif generation is not None:
        start_response("501 Not Implemented", [])
        return [b""]
    with one_at_a_time:
        return [b"".join(moto(environ, start_response))]


moto({"REQUEST_METHOD": "PUT", "PATH_INFO": "/test", "SERVER_NAME": "localhost", "SERVER_PORT": "80", "HTTP_HOST": "localhost",
      "wsgi.input": io.BytesIO(), "wsgi.url_scheme": "http", "wsgi.errors": sys.stderr, "CONTENT_LENGTH": "0"}, lambda *_: None)
run_simple("127.0.0.1", int(sys.argv[1]), serve, threaded=True)
