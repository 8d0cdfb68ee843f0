#pragma OPENCL FP_CONTRACT OFF
typedef int8 __attribute__((aligned(sizeof(int)))) unaligned_int8;
uint right_shift_uint(uint a, uint b) { return (uint)((uint)b < 32 ? a >> b : a < 0 ? -1 : 0); }

__kernel void sort_by_digits_0(
    __global const int* restrict ints,
    __global int* restrict stage0,
    int n)
{
    int group0 = (int)get_group_id(0);
    for (int i0 = 0; i0 < 4; ++i0) {
        *(__global unaligned_int8*)(stage0 + (32 * group0 + 8 * i0)) = (int8)(0, 0, 0, 0, 0, 0, 0, 0);
    }
    for (int i1 = 0; i1 < (n / 4); ++i1) {
        const int at0 = ((int)(((uint)ints[group0 * (n / 4) + i1]) & 31U));
        if (0 <= at0 && at0 < 32) {
            int old0 = stage0[at0 + 32 * group0];
            stage0[at0 + 32 * group0] = (int)((uint)old0 + (uint)1);
        }
    }
    int group1 = (int)get_group_id(0);
    if (group1 < 1) {
        for (int i2 = 0; i2 < 4; ++i2) {
            *(__global unaligned_int8*)(stage0 + (32 * group1 + 8 * i2 + 128)) = (int8)(0, 0, 0, 0, 0, 0, 0, 0);
        }
        for (int i3 = 0; i3 < (n % 4); ++i3) {
            const int at1 = ((int)(((uint)ints[i3 + 4 * (n / 4)]) & 31U));
            if (0 <= at1 && at1 < 32) {
                int old1 = stage0[at1 + 32 * group1 + 128];
                stage0[at1 + 32 * group1 + 128] = (int)((uint)old1 + (uint)1);
            }
        }
    }
}

__kernel void sort_by_digits_1(
    __global const int* restrict stage0,
    __global int* restrict stage1)
{
    int acc0 = 0;
    for (int i0 = 0; i0 < 160; ++i0) {
        acc0 = (int)((uint)acc0 + (uint)stage0[(i0 / 5) + 32 * (i0 % 5)]);
        stage1[i0] = acc0;
    }
}

__kernel void sort_by_digits_2(
    __global const int* restrict ints,
    __global const int* restrict stage1,
    __global int* restrict stage2,
    int n)
{
    int kept0[32];
    int group0 = (int)get_group_id(0);
    for (int i0 = 0; i0 < 32; ++i0) {
        kept0[i0] = (group0 + 5 * i0 < 1 ? 0 : stage1[group0 + 5 * i0 - 1]);
    }
    for (int i1 = 0; i1 < (n / 4); ++i1) {
        const int e0 = ints[group0 * (n / 4) + i1];
        const int key0 = (int)(((uint)e0) & 31U);
        const int place0 = kept0[key0];
        kept0[key0] = place0 + 1;
        stage2[place0] = e0;
    }
    int group1 = (int)get_group_id(0);
    if (group1 < 1) {
        for (int i2 = 0; i2 < 32; ++i2) {
            kept0[i2] = stage1[group1 + 5 * i2 + 3];
        }
        for (int i3 = 0; i3 < (n % 4); ++i3) {
            const int e1 = ints[group1 * (n % 4) + i3 + 4 * (n / 4)];
            const int key1 = (int)(((uint)e1) & 31U);
            const int place1 = kept0[key1];
            kept0[key1] = place1 + 1;
            stage2[place1] = e1;
        }
    }
}

__kernel void sort_by_digits_3(
    __global const int* restrict stage2,
    __global int* restrict stage3,
    int n)
{
    int group0 = (int)get_group_id(0);
    for (int i0 = 0; i0 < 2; ++i0) {
        *(__global unaligned_int8*)(stage3 + (16 * group0 + 8 * i0)) = (int8)(0, 0, 0, 0, 0, 0, 0, 0);
    }
    for (int i1 = 0; i1 < (n / 4); ++i1) {
        const int at0 = ((int)(right_shift_uint(((uint)stage2[group0 * (n / 4) + i1]), 5U) & 15U));
        if (0 <= at0 && at0 < 16) {
            int old0 = stage3[at0 + 16 * group0];
            stage3[at0 + 16 * group0] = (int)((uint)old0 + (uint)1);
        }
    }
    int group1 = (int)get_group_id(0);
    if (group1 < 1) {
        for (int i2 = 0; i2 < 2; ++i2) {
            *(__global unaligned_int8*)(stage3 + (16 * group1 + 8 * i2 + 64)) = (int8)(0, 0, 0, 0, 0, 0, 0, 0);
        }
        for (int i3 = 0; i3 < (n % 4); ++i3) {
            const int at1 = ((int)(right_shift_uint(((uint)stage2[i3 + 4 * (n / 4)]), 5U) & 15U));
            if (0 <= at1 && at1 < 16) {
                int old1 = stage3[at1 + 16 * group1 + 64];
                stage3[at1 + 16 * group1 + 64] = (int)((uint)old1 + (uint)1);
            }
        }
    }
}

__kernel void sort_by_digits_4(
    __global const int* restrict stage3,
    __global int* restrict stage4)
{
    int acc0 = 0;
    for (int i0 = 0; i0 < 80; ++i0) {
        acc0 = (int)((uint)acc0 + (uint)stage3[(i0 / 5) + 16 * (i0 % 5)]);
        stage4[i0] = acc0;
    }
}

__kernel void sort_by_digits_5(
    __global const int* restrict stage2,
    __global const int* restrict stage4,
    __global int* restrict result,
    int n)
{
    int kept0[16];
    int group0 = (int)get_group_id(0);
    for (int i0 = 0; i0 < 16; ++i0) {
        kept0[i0] = (group0 + 5 * i0 < 1 ? 0 : stage4[group0 + 5 * i0 - 1]);
    }
    for (int i1 = 0; i1 < (n / 4); ++i1) {
        const int e0 = stage2[group0 * (n / 4) + i1];
        const int key0 = (int)(right_shift_uint(((uint)e0), 5U) & 15U);
        const int place0 = kept0[key0];
        kept0[key0] = place0 + 1;
        result[place0] = e0;
    }
    int group1 = (int)get_group_id(0);
    if (group1 < 1) {
        for (int i2 = 0; i2 < 16; ++i2) {
            kept0[i2] = stage4[group1 + 5 * i2 + 3];
        }
        for (int i3 = 0; i3 < (n % 4); ++i3) {
            const int e1 = stage2[group1 * (n % 4) + i3 + 4 * (n / 4)];
            const int key1 = (int)(right_shift_uint(((uint)e1), 5U) & 15U);
            const int place1 = kept0[key1];
            kept0[key1] = place1 + 1;
            result[place1] = e1;
        }
    }
}
