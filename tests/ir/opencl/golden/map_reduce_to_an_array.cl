#pragma OPENCL FP_CONTRACT OFF

__kernel void map_reduce_to_an_array(
    __global const float* restrict rows,
    __global float* restrict result_0,
    __global float* restrict result_1,
    int n)
{
    for (int i0 = 0; i0 < 64; ++i0) {
        result_0[i0] = 0.0f;
    }
    for (int i1 = 0; i1 < n; ++i1) {
        for (int i2 = 0; i2 < 3; ++i2) {
            result_1[3 * i1 + i2] = fabs(rows[64 * i1 + i2]);
        }
        for (int i3 = 0; i3 < 64; ++i3) {
            float old0 = result_0[i3];
            result_0[i3] = (old0 + rows[64 * i1 + i3]);
        }
    }
}
