#pragma OPENCL FP_CONTRACT OFF

__kernel void permuted_head(
    __global int* restrict result,
    int n)
{
    int item0 = (int)get_global_id(0);
    if (item0 < n + 3) {
        const int at0 = ((item0 < ((int)n)) ? (int)((uint)(int)((uint)((int)n) - (uint)1) - (uint)item0) : 0);
        if (item0 < n) {
            result[at0] = item0;
        }
    }
}
