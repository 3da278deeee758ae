"""The gRPC service around the rules engine: it opens a token, asks the engine, records and seals again."""
