"""Cancellation managers of the eager C API answer as TensorFlow's do: the same calls in both libraries."""

import ctypes
import json
import os
import pathlib
import random
import subprocess
import sys
import sysconfig

SEED = int(os.environ.get("TN_TEST_SEED", "7"))
P, I64, BOOL = ctypes.c_void_p, ctypes.c_int64, ctypes.c_bool
CALLBACK = ctypes.CFUNCTYPE(None, P)


class Callback(ctypes.Structure):
    _fields_ = [("callback", CALLBACK), ("context", P)]


class Library:
    def __init__(self, path):
        self.library = ctypes.CDLL(str(path))
        for name, result, *arguments in [
                ("New", P), ("Delete", None, P), ("IsCancelled", BOOL, P), ("IsCancelling", BOOL, P),
                ("StartCancel", None, P), ("GetToken", I64, P),
                ("RegisterCallback", BOOL, P, I64, ctypes.POINTER(Callback), ctypes.c_char_p),
                ("DeregisterCallback", BOOL, P, I64), ("TryDeregisterCallback", BOOL, P, I64)]:
            whole = f"TFE_{name}CancellationManager" if name in ("New", "Delete") else f"TFE_CancellationManager{name}"
            function = getattr(self.library, whole)
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)

    def function(self, name, result, *arguments):
        function = getattr(self.library, name)
        function.restype, function.argtypes = result, arguments
        return function

    def story(self, seed):
        """Random calls on one manager, and what they answered; callbacks look around and are told in order of
        their number, since TensorFlow keeps none."""
        choose, manager, told = random.Random(f"{SEED} {seed}"), self.New(), []

        def tell(context):
            inside = self.IsCancelling(manager), self.IsCancelled(manager), self.TryDeregisterCallback(manager, 0)
            told.append((context, inside))
        function, answers = CALLBACK(tell), []
        for _ in range(choose.randrange(1, 12)):
            call, token = choose.choice(["RegisterCallback"] * 3 + ["DeregisterCallback", "TryDeregisterCallback",
                                         "GetToken", "StartCancel", "IsCancelled", "IsCancelling"]), choose.randrange(4)
            if call == "RegisterCallback":
                answer = self.RegisterCallback(manager, token, Callback(function, 100 + token), b"name")
            elif call in ("DeregisterCallback", "TryDeregisterCallback"):
                answer = getattr(self, call)(manager, token)
            else:
                answer = getattr(self, call)(manager)
            answers.append((call, answer, sorted(told)))
        self.Delete(manager)
        return answers, sorted(told)

    def codes_of_an_op(self):
        """What running an op says: before its manager is cancelled, after, and with none again."""
        status = self.function("TF_NewStatus", P)()
        options = self.function("TFE_NewContextOptions", P)()
        context = self.function("TFE_NewContext", P, P, P)(options, status)
        op = self.function("TFE_NewOp", P, P, ctypes.c_char_p, P)(context, b"VarHandleOp", status)
        self.function("TFE_OpSetAttrType", None, P, ctypes.c_char_p, ctypes.c_int)(op, b"dtype", 1)
        self.function("TFE_OpSetAttrShape", None, P, ctypes.c_char_p, P, ctypes.c_int, P)(op, b"shape", None, 0, status)
        attach = self.function("TFE_OpSetCancellationManager", None, P, P, P)
        execute = self.function("TFE_Execute", None, P, P, ctypes.POINTER(ctypes.c_int), P)
        code = self.function("TF_GetCode", ctypes.c_int, P)
        manager, codes = self.New(), []
        for given in (manager, manager, None):
            attach(op, given, status)
            count, output = ctypes.c_int(1), (P * 1)()
            execute(op, output, ctypes.byref(count), status)
            codes.append(code(status))
            if codes[-1] == 0:
                self.function("TFE_DeleteTensorHandle", None, P)(output[0])
            self.StartCancel(manager)
        self.function("TFE_DeleteOp", None, P)(op)
        self.Delete(manager)
        self.function("TFE_DeleteContext", None, P)(context)
        self.function("TFE_DeleteContextOptions", None, P)(options)
        self.function("TF_DeleteStatus", None, P)(status)
        return codes


def answers(path):
    """In a process of its own: two libraries with the same names do not get along."""
    here = pathlib.Path(__file__)
    text = subprocess.run([sys.executable, "-c", "import json, sys, test_cancel_as_tensorflow as t; l = t.Library(sys.argv[1]);"
                           "print(json.dumps([[l.story(i) for i in range(500)], l.codes_of_an_op()]))", str(path)],
                          cwd=here.parent, capture_output=True, text=True, check=True).stdout
    return json.loads(text.splitlines()[-1])


def test_cancellation_managers_answer_as_tensorflows():
    ours = answers(pathlib.Path(os.environ["TENON_BUILD"]) / "lib/libtenon_tf.so")
    theirs = answers(pathlib.Path(sysconfig.get_path("purelib")) / "tensorflow/libtensorflow_cc.so.2")
    for i, (mine, yours) in enumerate(zip(ours[0], theirs[0], strict=True)):
        assert mine == yours, f"TN_TEST_SEED={SEED}, story {i}"
    # TensorFlow hands the manager to the kernel and runs it all the same.
    assert theirs[1] == [0, 0, 0] and ours[1] == [0, 1, 0]
