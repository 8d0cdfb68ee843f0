#pragma OPENCL FP_CONTRACT OFF

__kernel void select_and_casts(
    __global const int* restrict ints,
    __global const uchar* restrict flags,
    __global float* restrict result,
    int n)
{
    int item0 = (int)get_global_id(0);
    if (item0 < n) {
        const int e0 = ints[item0];
        result[item0] = (((flags[item0] != 0) & (e0 > 0)) ? (((float)e0) / 2.0f) : (-1.0f));
    }
}
