#pragma OPENCL FP_CONTRACT OFF

__kernel void map_global(
    __global const float* restrict xs,
    __global float* restrict result,
    int n)
{
    int item0 = (int)get_global_id(0);
    if (item0 < n) {
        result[item0] = fabs((xs[item0] - 3.0f));
    }
}
