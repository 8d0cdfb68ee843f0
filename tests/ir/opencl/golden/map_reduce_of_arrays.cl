#pragma OPENCL FP_CONTRACT OFF

__kernel void map_reduce_of_arrays(
    __global const float* restrict rows,
    __global float* restrict result_0,
    __global float* restrict result_1,
    int n)
{
    float kept0[64];
    for (int i0 = 0; i0 < 64; ++i0) {
        kept0[i0] = 0.0f;
    }
    for (int i1 = 0; i1 < n; ++i1) {
        result_0[i1] = (rows[64 * i1] - kept0[1]);
        for (int i2 = 0; i2 < 64; ++i2) {
            float old0 = kept0[i2];
            kept0[i2] = (old0 + fabs(rows[64 * i1 + i2]));
        }
    }
    for (int i3 = 0; i3 < 64; ++i3) {
        result_1[i3] = fabs(kept0[i3]);
    }
}
