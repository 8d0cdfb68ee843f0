"""What the generator writes: a kernel's body, loops, scalars and vectors, and how they are spelled in OpenCL C."""
