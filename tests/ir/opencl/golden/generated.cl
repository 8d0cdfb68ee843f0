#pragma OPENCL FP_CONTRACT OFF

__kernel void generated(
    __global const float* restrict xs,
    __global float* restrict result,
    int n)
{
    int item0 = (int)get_global_id(0);
    if (item0 < n) {
        result[item0] = (xs[item0] * ((float)item0));
    }
}
