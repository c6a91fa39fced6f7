"""Creates a container of Azure Blob Storage: create_container.py ENDPOINT ACCOUNT KEY CONTAINER. Waits until the server answers."""

import base64
import email.utils
import hashlib
import hmac
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

VERSION = "2023-11-03"


def create(endpoint, account, key, container):
    """Sends the request, signed with the key of the account."""
    date = email.utils.formatdate(usegmt=True)
    headers = f"x-ms-date:{date}\nx-ms-version:{VERSION}\n"
    path = f"/{account}{urllib.parse.urlsplit(endpoint).path}/{container}"
    signed = "PUT" + "\n" * 12 + headers + path + "\nrestype:container"
    signature = base64.b64encode(hmac.new(base64.b64decode(key), signed.encode(), hashlib.sha256).digest()).decode()
    request = urllib.request.Request(f"{endpoint}/{container}?restype=container", method="PUT")
    request.add_header("x-ms-date", date)
    request.add_header("x-ms-version", VERSION)
    request.add_header("Authorization", f"SharedKey {account}:{signature}")
    urllib.request.urlopen(request).close()


for _ in range(100):
    try:
        sys.exit(create(*sys.argv[1:]))
    except urllib.error.HTTPError as error:
        sys.exit(f"{error}: {error.read().decode()}")
    except OSError:
        time.sleep(0.2)
sys.exit(f"no server answers at {sys.argv[1]}")
