# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# A proxy between a client and a PostgreSQL server on Unix sockets, and takes away the answer to the first COMMIT of
# each connection that stores a run: the server has committed, the client never learns of it.
#
#   python3 history_proxy.py LISTEN CONNECT cut|hang
#
# cut: closes the connection; hang: keeps it open and says nothing. Prints "ready" when it listens.
# helps: tests/production/cli/history_server.sh
import select
import socket
import sys
import threading

listen_path, connect_path, mode = sys.argv[1:]


def serve(client):
    server = socket.socket(socket.AF_UNIX)
    server.connect(connect_path)
    stores = False
    while True:
        for ready in select.select([client, server], [], [])[0]:
            data = ready.recv(65536)
            if not data:
                client.close()
                server.close()
                return
            if ready is server:
                client.sendall(data)
                continue
            stores = stores or b"INSERT INTO run" in data
            server.sendall(data)
            if stores and b"COMMIT" in data:
                while b"COMMIT" not in server.recv(65536):  # its command tag: the transaction is on the disk
                    pass
                if mode == "hang":
                    threading.Event().wait()
                client.close()
                server.close()
                return


listener = socket.socket(socket.AF_UNIX)
listener.bind(listen_path)
listener.listen(16)
print("ready", flush=True)
while True:
    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
