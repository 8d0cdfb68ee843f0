#pragma OPENCL FP_CONTRACT OFF
typedef int8 __attribute__((aligned(sizeof(int)))) unaligned_int8;
uint right_shift_uint(uint a, uint b) { return (uint)((uint)b < 32 ? a >> b : a < 0 ? -1 : 0); }

__kernel void sort_rows_by_digits_0(
    __global const int* restrict iss,
    __global int* restrict stage0,
    int m)
{
    int group0 = (int)get_group_id(0);
    for (int i0 = 0; i0 < 4; ++i0) {
        *(__global unaligned_int8*)(stage0 + (32 * group0 + 8 * i0)) = (int8)(0, 0, 0, 0, 0, 0, 0, 0);
    }
    for (int i1 = 0; i1 < m; ++i1) {
        const int at0 = ((int)(((uint)iss[group0 * m + i1]) & 31U));
        if (0 <= at0 && at0 < 32) {
            int old0 = stage0[at0 + 32 * group0];
            stage0[at0 + 32 * group0] = (int)((uint)old0 + (uint)1);
        }
    }
}

__kernel void sort_rows_by_digits_1(
    __global const int* restrict iss,
    __global const int* restrict stage0,
    __global int* restrict stage1,
    int m)
{
    int group0 = (int)get_group_id(0);
    int kept0[32];
    int acc0 = 0;
    for (int i0 = 0; i0 < 32; ++i0) {
        acc0 = (int)((uint)acc0 + (uint)stage0[32 * group0 + i0]);
        kept0[i0] = acc0;
    }
    int kept1[32];
    for (int i1 = 0; i1 < 32; ++i1) {
        kept1[i1] = (i1 < 1 ? 0 : kept0[i1 - 1]);
    }
    for (int i2 = 0; i2 < m; ++i2) {
        const int e0 = iss[group0 * m + i2];
        const int key0 = (int)(((uint)e0) & 31U);
        const int place0 = kept1[key0];
        kept1[key0] = place0 + 1;
        stage1[group0 * m + place0] = e0;
    }
}

__kernel void sort_rows_by_digits_2(
    __global const int* restrict stage1,
    __global int* restrict stage2,
    int m)
{
    int group0 = (int)get_group_id(0);
    for (int i0 = 0; i0 < 2; ++i0) {
        *(__global unaligned_int8*)(stage2 + (16 * group0 + 8 * i0)) = (int8)(0, 0, 0, 0, 0, 0, 0, 0);
    }
    for (int i1 = 0; i1 < m; ++i1) {
        const int at0 = ((int)(right_shift_uint(((uint)stage1[group0 * m + i1]), 5U) & 15U));
        if (0 <= at0 && at0 < 16) {
            int old0 = stage2[at0 + 16 * group0];
            stage2[at0 + 16 * group0] = (int)((uint)old0 + (uint)1);
        }
    }
}

__kernel void sort_rows_by_digits_3(
    __global const int* restrict stage1,
    __global const int* restrict stage2,
    __global int* restrict result,
    int m)
{
    int group0 = (int)get_group_id(0);
    int kept0[16];
    int acc0 = 0;
    for (int i0 = 0; i0 < 16; ++i0) {
        acc0 = (int)((uint)acc0 + (uint)stage2[16 * group0 + i0]);
        kept0[i0] = acc0;
    }
    int kept1[16];
    for (int i1 = 0; i1 < 16; ++i1) {
        kept1[i1] = (i1 < 1 ? 0 : kept0[i1 - 1]);
    }
    for (int i2 = 0; i2 < m; ++i2) {
        const int e0 = stage1[group0 * m + i2];
        const int key0 = (int)(right_shift_uint(((uint)e0), 5U) & 15U);
        const int place0 = kept1[key0];
        kept1[key0] = place0 + 1;
        result[group0 * m + place0] = e0;
    }
}
