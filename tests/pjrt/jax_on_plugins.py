"""python jax_on_plugins.py FOLDER NUMBER...: adds one on every device of FOLDER/pjrt_0_NUMBER.so, in JAX, and tells how it went."""

import json
import os
import sys

folder, numbers = sys.argv[1], sys.argv[2:]
os.environ["PJRT_NAMES_AND_LIBRARY_PATHS"] = ",".join(f"test{number}:{folder}/pjrt_0_{number}.so" for number in numbers)
os.environ["JAX_PLATFORMS"] = ",".join(f"test{number}" for number in numbers)

import jax
import numpy as np

add_one = jax.jit(lambda x: x + 1)
host = np.arange(6, dtype=np.float32).reshape(2, 3).T
told = {}
for number in numbers:
    try:
        for device in jax.devices(f"test{number}"):
            result = add_one(jax.device_put(host, device))
            assert result.devices() == {device} and (np.asarray(result) == host + 1).all()
            assert device.memory_stats()["num_allocs"] >= 2
        told[number] = "added one"
    except RuntimeError as error:
        told[number] = str(error)
print(json.dumps(told))
