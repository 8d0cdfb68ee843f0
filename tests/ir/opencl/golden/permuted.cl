#pragma OPENCL FP_CONTRACT OFF

__kernel void permuted(
    __global const float* restrict xs,
    __global float* restrict result,
    int n)
{
    int item0 = (int)get_global_id(0);
    if (item0 < n) {
        const int at0 = (int)((uint)(int)((uint)((int)n) - (uint)1) - (uint)item0);
        result[at0] = xs[item0];
    }
}
