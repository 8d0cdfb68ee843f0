#pragma OPENCL FP_CONTRACT OFF
int limited_int(int i, int last) { return i < 0 ? 0 : i > last ? last : i; }
typedef float4 __attribute__((aligned(sizeof(float)))) unaligned_float4;

__kernel void gathered_row_vectors(
    __global const int* restrict is,
    __global const float* restrict rows,
    __global float* restrict result,
    int m,
    int n)
{
    int item0 = (int)get_global_id(0);
    if (item0 < 16 * m) {
        const int at0 = limited_int(is[(item0 / 16)], n - 1);
        *(__global unaligned_float4*)(result + (4 * item0)) = *(__global const unaligned_float4*)(rows + (64 * at0 + 4 * (item0 % 16)));
    }
}
