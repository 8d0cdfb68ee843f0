#pragma OPENCL FP_CONTRACT OFF
int limited_int(int i, int last) { return i < 0 ? 0 : i > last ? last : i; }
typedef float16 __attribute__((aligned(sizeof(float)))) unaligned_float16;

__kernel void gathered_rows(
    __global const int* restrict is,
    __global const float* restrict rows,
    __global float* restrict result,
    int m,
    int n)
{
    int item0 = (int)get_global_id(0);
    if (item0 < m) {
        const int at0 = limited_int(is[item0], n - 1);
        for (int i0 = 0; i0 < 4; ++i0) {
            *(__global unaligned_float16*)(result + (16 * i0 + 64 * item0)) = (*(__global const unaligned_float16*)(rows + (64 * at0 + 16 * i0)) + (float16)(1.0f));
        }
    }
}
