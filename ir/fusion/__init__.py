"""From the recorded graph to kernels: where to cut, and which sizes stay symbols."""
