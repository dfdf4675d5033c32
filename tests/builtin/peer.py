"""TensorFlow's answer to "which shapes does this op give?", asked through its C API."""

import ctypes
import os

import tensorflow as tf
from tensorflow.core.framework import op_def_pb2

_lib = ctypes.CDLL(os.path.join(os.path.dirname(tf.__file__), "libtensorflow_cc.so.2"))


class _Output(ctypes.Structure):
    _fields_ = [("oper", ctypes.c_void_p), ("index", ctypes.c_int)]


class _Buffer(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("length", ctypes.c_size_t), ("free", ctypes.c_void_p)]


def _function(name, result, *arguments):
    function = getattr(_lib, name)
    function.restype, function.argtypes = result, arguments
    return function


_P, _S, _I, _N = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_size_t
_new_status = _function("TF_NewStatus", _P)
_code = _function("TF_GetCode", _I, _P)
_message = _function("TF_Message", _S, _P)
_new_graph = _function("TF_NewGraph", _P)
_delete_graph = _function("TF_DeleteGraph", None, _P)
_new_operation = _function("TF_NewOperation", _P, _P, _S, _S)
_add_input = _function("TF_AddInput", None, _P, _Output)
_add_inputs = _function("TF_AddInputList", None, _P, ctypes.POINTER(_Output), _I)
_set_attr = _function("TF_SetAttrValueProto", None, _P, _S, _S, _N, _P)
_finish = _function("TF_FinishOperation", _P, _P, _P)
_output_count = _function("TF_OperationNumOutputs", _I, _P)
_rank = _function("TF_GraphGetTensorNumDims", _I, _P, _Output, _P)
_shape = _function("TF_GraphGetTensorShape", None, _P, _Output, ctypes.POINTER(ctypes.c_int64), _I, _P)
_all_ops = _function("TF_GetAllOpList", ctypes.POINTER(_Buffer))


def op_list(data):
    return op_def_pb2.OpList.FromString(data)


def ops():
    """The wheel's definitions by name."""
    buffer = _all_ops().contents
    return {op.name: op for op in op_list(ctypes.string_at(buffer.data, buffer.length)).op}


class Graph:
    """Nodes whose shapes TensorFlow infers while they are added."""

    def __init__(self):
        self.graph, self.status, self.count = _new_graph(), _new_status(), 0

    def close(self):
        _delete_graph(self.graph)

    def add(self, op, attrs, inputs):
        """inputs: outputs of earlier nodes, a list of them for a list argument. (shapes, node) or
        (message, None)."""
        self.count += 1
        node = _new_operation(self.graph, op.encode(), b"n%d" % self.count)
        for given in inputs:
            if isinstance(given, list):
                _add_inputs(node, (_Output * len(given))(*given), len(given))
            else:
                _add_input(node, given)
        for name, value in attrs.items():
            value = value.SerializeToString()
            _set_attr(node, name.encode(), value, len(value), self.status)
            assert _code(self.status) == 0, _message(self.status)
        node = _finish(node, self.status)
        if _code(self.status) != 0:
            return _message(self.status).decode(), None
        return [self._shape_of(_Output(node, i)) for i in range(_output_count(node))], node

    def output(self, op, attrs, inputs=()):
        """The first output of a node, which is there to feed another."""
        found, node = self.add(op, attrs, inputs)
        if not node:
            raise ValueError(found)
        return _Output(node, 0)

    def _shape_of(self, output):
        rank = _rank(self.graph, output, self.status)
        if rank < 0:
            return None
        dims = (ctypes.c_int64 * max(rank, 1))()
        _shape(self.graph, output, dims, rank, self.status)
        return list(dims[:rank])
