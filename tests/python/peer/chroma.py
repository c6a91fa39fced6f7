"""ChromaDB: a persistent client with an HNSW index over cosines, and a metadata filter on the time.

Set up as in https://docs.trychroma.com/docs/collections/configure (the space set, everything else as it comes) and
https://docs.trychroma.com/docs/querying-collections/metadata-filtering: batches of the client's greatest size, texts
stored as documents, answers with what `query` includes by default. There is no text leg: its documents can be filtered
by a substring, not ranked by words.
"""

import os

import chromadb
from chromadb.config import Settings

NAME = "ChromaDB"
VERSIONS = ("chromadb",)
NOTE = "HNSW, vectors alone"

os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")


def build(folder, rows):
    client = connect(folder)
    collection = client.create_collection("rows", configuration={"hnsw": {"space": "cosine"}}, embedding_function=None)
    size = client.get_max_batch_size()
    for start in range(0, len(rows.ids), size):
        some = slice(start, start + size)
        collection.add(
            ids=rows.ids[some],
            embeddings=rows.vectors[some],
            documents=rows.texts[some],
            metadatas=[{"at": at} for at in rows.at[some].tolist()],
        )


def connect(folder):
    return chromadb.PersistentClient(path=str(folder), settings=Settings(anonymized_telemetry=False))


class Memory:
    def __init__(self, folder):
        self.collection = connect(folder).get_collection("rows", embedding_function=None)

    def ask(self, text, vector, bounds, k):
        answer = self.query(vector, bounds, k)
        return list(zip(answer["ids"][0], answer["documents"][0]))

    def nearest(self, vector, bounds, k):
        return self.query(vector, bounds, k)["ids"][0]

    def query(self, vector, bounds, k):
        where = {"$and": [{"at": {"$gte": bounds.start}}, {"at": {"$lt": bounds.end}}]} if bounds else None
        return self.collection.query(query_embeddings=[vector], n_results=k, where=where)
