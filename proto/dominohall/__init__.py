"""The wire of Dominohall: messages and stubs generated from the `.proto` files beside them.

    from dominohall.v1 import match_service_pb2, match_service_pb2_grpc

This package knows no rules and needs only protobuf and grpcio. `proto/generate.py` makes it.
"""
