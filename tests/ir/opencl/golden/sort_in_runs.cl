#pragma OPENCL FP_CONTRACT OFF
typedef float4 __attribute__((aligned(sizeof(float)))) unaligned_float4;
uint4 right_shift_uint4(uint4 a, uint4 b) { return as_uint4(b) < (uint4)(32) ? a >> b : (uint4)(0); }
typedef int4 __attribute__((aligned(sizeof(int)))) unaligned_int4;
uint right_shift_uint(uint a, uint b) { return (uint)((uint)b < 32 ? a >> b : a < 0 ? -1 : 0); }

__kernel void sort_in_runs_0(
    __global const float* restrict xs,
    __global int* restrict stage0,
    int n)
{
    int group0 = (int)get_group_id(0);
    for (int i0 = 0; i0 < 4; ++i0) {
        stage0[4 * group0 + i0] = 0;
    }
    for (int i1 = 0; i1 < (n / 128); ++i1) {
        int kept0[64];
        for (int i2 = 0; i2 < 16; ++i2) {
            const uint4 t0 = right_shift_uint4(as_uint4(*(__global const unaligned_float4*)(xs + (group0 * (n / 2) + 64 * i1 + 4 * i2))), (uint4)(26U));
            *(unaligned_int4*)(kept0 + (4 * i2)) = convert_int4((t0 & (uint4)(3U)));
        }
        for (int i3 = 0; i3 < 64; ++i3) {
            const int at0 = kept0[i3];
            if (0 <= at0 && at0 < 4) {
                int old0 = stage0[at0 + 4 * group0];
                stage0[at0 + 4 * group0] = (int)((uint)old0 + (uint)1);
            }
        }
    }
    for (int i4 = 0; i4 < (((n / 2)) % 64); ++i4) {
        const int at1 = ((int)(right_shift_uint(as_uint(xs[group0 * (n / 2) + i4 + 64 * (n / 128)]), 26U) & 3U));
        if (0 <= at1 && at1 < 4) {
            int old1 = stage0[at1 + 4 * group0];
            stage0[at1 + 4 * group0] = (int)((uint)old1 + (uint)1);
        }
    }
    int group1 = (int)get_group_id(0);
    if (group1 < 1) {
        for (int i5 = 0; i5 < 4; ++i5) {
            stage0[4 * group1 + i5 + 8] = 0;
        }
        for (int i6 = 0; i6 < (n % 2); ++i6) {
            const int at2 = ((int)(right_shift_uint(as_uint(xs[i6 + 2 * (n / 2)]), 26U) & 3U));
            if (0 <= at2 && at2 < 4) {
                int old2 = stage0[at2 + 4 * group1 + 8];
                stage0[at2 + 4 * group1 + 8] = (int)((uint)old2 + (uint)1);
            }
        }
    }
}

__kernel void sort_in_runs_1(
    __global const int* restrict stage0,
    __global int* restrict stage1)
{
    int acc0 = 0;
    for (int i0 = 0; i0 < 12; ++i0) {
        acc0 = (int)((uint)acc0 + (uint)stage0[(i0 / 3) + 4 * (i0 % 3)]);
        stage1[i0] = acc0;
    }
}

__kernel void sort_in_runs_2(
    __global const float* restrict xs,
    __global const int* restrict stage1,
    __global float* restrict stage2_0,
    __global int* restrict stage2_1,
    int n)
{
    int kept2[64];
    int group0 = (int)get_group_id(0);
    int kept0[4];
    for (int i0 = 0; i0 < 4; ++i0) {
        kept0[i0] = (group0 + 3 * i0 < 1 ? 0 : stage1[group0 + 3 * i0 - 1]);
    }
    float kept1[64];
    for (int i1 = 0; i1 < (n / 2); ++i1) {
        const int key0 = (int)(right_shift_uint(as_uint(xs[group0 * (n / 2) + i1]), 26U) & 3U);
        const int place0 = kept0[key0];
        kept0[key0] = place0 + 1;
        const int slot0 = place0 & 15;
        kept1[16 * key0 + slot0] = xs[group0 * (n / 2) + i1];
        kept2[16 * key0 + slot0] = (group0 * (n / 2) + i1);
        if (slot0 == 15) {
            const int skipped0 = max((int)(group0 + 3 * key0 < 1 ? 0 : stage1[group0 + 3 * key0 - 1]) - (place0 - slot0), (int)0);
            for (int i2 = 0; i2 < 16 - skipped0; ++i2) {
                stage2_0[i2 + place0 + skipped0 - slot0] = kept1[i2 + 16 * key0 + skipped0];
                stage2_1[i2 + place0 + skipped0 - slot0] = kept2[i2 + 16 * key0 + skipped0];
            }
        }
    }
    for (int i3 = 0; i3 < 4; ++i3) {
        const int end0 = (int)kept0[i3];
        const int slot1 = end0 & 15;
        const int skipped1 = max((int)(group0 + 3 * i3 < 1 ? 0 : stage1[group0 + 3 * i3 - 1]) - (end0 - slot1), (int)0);
        for (int i4 = 0; i4 < slot1 - skipped1; ++i4) {
            stage2_0[end0 + i4 + skipped1 - slot1] = kept1[16 * i3 + i4 + skipped1];
            stage2_1[end0 + i4 + skipped1 - slot1] = kept2[16 * i3 + i4 + skipped1];
        }
    }
    int group1 = (int)get_group_id(0);
    if (group1 < 1) {
        for (int i5 = 0; i5 < 4; ++i5) {
            kept2[i5] = stage1[group1 + 3 * i5 + 1];
        }
        for (int i6 = 0; i6 < (n % 2); ++i6) {
            const int key1 = (int)(right_shift_uint(as_uint(xs[group1 * (n % 2) + i6 + 2 * (n / 2)]), 26U) & 3U);
            const int place1 = kept2[key1];
            kept2[key1] = place1 + 1;
            stage2_0[place1] = xs[group1 * (n % 2) + i6 + 2 * (n / 2)];
            stage2_1[place1] = (group1 * (n % 2) + i6 + 2 * (n / 2));
        }
    }
}

__kernel void sort_in_runs_3(
    __global const float* restrict stage2_0,
    __global const int* restrict stage2_1,
    __global int* restrict stage3,
    int n)
{
    int group0 = (int)get_group_id(0);
    for (int i0 = 0; i0 < 4; ++i0) {
        stage3[4 * group0 + i0] = 0;
    }
    for (int i1 = 0; i1 < (n / 128); ++i1) {
        int kept0[64];
        for (int i2 = 0; i2 < 16; ++i2) {
            const uint4 t0 = right_shift_uint4(as_uint4(*(__global const unaligned_float4*)(stage2_0 + (group0 * (n / 2) + 64 * i1 + 4 * i2))), (uint4)(28U));
            *(unaligned_int4*)(kept0 + (4 * i2)) = convert_int4((t0 & (uint4)(3U)));
        }
        for (int i3 = 0; i3 < 64; ++i3) {
            const int at0 = kept0[i3];
            if (0 <= at0 && at0 < 4) {
                int old0 = stage3[at0 + 4 * group0];
                stage3[at0 + 4 * group0] = (int)((uint)old0 + (uint)1);
            }
        }
    }
    for (int i4 = 0; i4 < (((n / 2)) % 64); ++i4) {
        const int at1 = ((int)(right_shift_uint(as_uint(stage2_0[group0 * (n / 2) + i4 + 64 * (n / 128)]), 28U) & 3U));
        if (0 <= at1 && at1 < 4) {
            int old1 = stage3[at1 + 4 * group0];
            stage3[at1 + 4 * group0] = (int)((uint)old1 + (uint)1);
        }
    }
    int group1 = (int)get_group_id(0);
    if (group1 < 1) {
        for (int i5 = 0; i5 < 4; ++i5) {
            stage3[4 * group1 + i5 + 8] = 0;
        }
        for (int i6 = 0; i6 < (n % 2); ++i6) {
            const int at2 = ((int)(right_shift_uint(as_uint(stage2_0[i6 + 2 * (n / 2)]), 28U) & 3U));
            if (0 <= at2 && at2 < 4) {
                int old2 = stage3[at2 + 4 * group1 + 8];
                stage3[at2 + 4 * group1 + 8] = (int)((uint)old2 + (uint)1);
            }
        }
    }
}

__kernel void sort_in_runs_5(
    __global const float* restrict stage2_0,
    __global const int* restrict stage2_1,
    __global const int* restrict stage4,
    __global float* restrict stage5_0,
    __global int* restrict stage5_1,
    int n)
{
    int kept2[64];
    int group0 = (int)get_group_id(0);
    int kept0[4];
    for (int i0 = 0; i0 < 4; ++i0) {
        kept0[i0] = (group0 + 3 * i0 < 1 ? 0 : stage4[group0 + 3 * i0 - 1]);
    }
    float kept1[64];
    for (int i1 = 0; i1 < (n / 2); ++i1) {
        const int key0 = (int)(right_shift_uint(as_uint(stage2_0[group0 * (n / 2) + i1]), 28U) & 3U);
        const int place0 = kept0[key0];
        kept0[key0] = place0 + 1;
        const int slot0 = place0 & 15;
        kept1[16 * key0 + slot0] = stage2_0[group0 * (n / 2) + i1];
        kept2[16 * key0 + slot0] = stage2_1[group0 * (n / 2) + i1];
        if (slot0 == 15) {
            const int skipped0 = max((int)(group0 + 3 * key0 < 1 ? 0 : stage4[group0 + 3 * key0 - 1]) - (place0 - slot0), (int)0);
            for (int i2 = 0; i2 < 16 - skipped0; ++i2) {
                stage5_0[i2 + place0 + skipped0 - slot0] = kept1[i2 + 16 * key0 + skipped0];
                stage5_1[i2 + place0 + skipped0 - slot0] = kept2[i2 + 16 * key0 + skipped0];
            }
        }
    }
    for (int i3 = 0; i3 < 4; ++i3) {
        const int end0 = (int)kept0[i3];
        const int slot1 = end0 & 15;
        const int skipped1 = max((int)(group0 + 3 * i3 < 1 ? 0 : stage4[group0 + 3 * i3 - 1]) - (end0 - slot1), (int)0);
        for (int i4 = 0; i4 < slot1 - skipped1; ++i4) {
            stage5_0[end0 + i4 + skipped1 - slot1] = kept1[16 * i3 + i4 + skipped1];
            stage5_1[end0 + i4 + skipped1 - slot1] = kept2[16 * i3 + i4 + skipped1];
        }
    }
    int group1 = (int)get_group_id(0);
    if (group1 < 1) {
        for (int i5 = 0; i5 < 4; ++i5) {
            kept2[i5] = stage4[group1 + 3 * i5 + 1];
        }
        for (int i6 = 0; i6 < (n % 2); ++i6) {
            const int key1 = (int)(right_shift_uint(as_uint(stage2_0[group1 * (n % 2) + i6 + 2 * (n / 2)]), 28U) & 3U);
            const int place1 = kept2[key1];
            kept2[key1] = place1 + 1;
            stage5_0[place1] = stage2_0[group1 * (n % 2) + i6 + 2 * (n / 2)];
            stage5_1[place1] = stage2_1[group1 * (n % 2) + i6 + 2 * (n / 2)];
        }
    }
}

__kernel void sort_in_runs_6(
    __global const float* restrict stage5_0,
    __global const int* restrict stage5_1,
    __global int* restrict stage6,
    int n)
{
    int group0 = (int)get_group_id(0);
    for (int i0 = 0; i0 < 4; ++i0) {
        stage6[4 * group0 + i0] = 0;
    }
    for (int i1 = 0; i1 < (n / 128); ++i1) {
        int kept0[64];
        for (int i2 = 0; i2 < 16; ++i2) {
            const uint4 t0 = right_shift_uint4(as_uint4(*(__global const unaligned_float4*)(stage5_0 + (group0 * (n / 2) + 64 * i1 + 4 * i2))), (uint4)(30U));
            *(unaligned_int4*)(kept0 + (4 * i2)) = convert_int4((t0 & (uint4)(3U)));
        }
        for (int i3 = 0; i3 < 64; ++i3) {
            const int at0 = kept0[i3];
            if (0 <= at0 && at0 < 4) {
                int old0 = stage6[at0 + 4 * group0];
                stage6[at0 + 4 * group0] = (int)((uint)old0 + (uint)1);
            }
        }
    }
    for (int i4 = 0; i4 < (((n / 2)) % 64); ++i4) {
        const int at1 = ((int)(right_shift_uint(as_uint(stage5_0[group0 * (n / 2) + i4 + 64 * (n / 128)]), 30U) & 3U));
        if (0 <= at1 && at1 < 4) {
            int old1 = stage6[at1 + 4 * group0];
            stage6[at1 + 4 * group0] = (int)((uint)old1 + (uint)1);
        }
    }
    int group1 = (int)get_group_id(0);
    if (group1 < 1) {
        for (int i5 = 0; i5 < 4; ++i5) {
            stage6[4 * group1 + i5 + 8] = 0;
        }
        for (int i6 = 0; i6 < (n % 2); ++i6) {
            const int at2 = ((int)(right_shift_uint(as_uint(stage5_0[i6 + 2 * (n / 2)]), 30U) & 3U));
            if (0 <= at2 && at2 < 4) {
                int old2 = stage6[at2 + 4 * group1 + 8];
                stage6[at2 + 4 * group1 + 8] = (int)((uint)old2 + (uint)1);
            }
        }
    }
}

__kernel void sort_in_runs_8(
    __global const float* restrict stage5_0,
    __global const int* restrict stage5_1,
    __global const int* restrict stage7,
    __global long* restrict result,
    int n)
{
    int kept0[4];
    int group0 = (int)get_group_id(0);
    for (int i0 = 0; i0 < 4; ++i0) {
        kept0[i0] = (group0 + 3 * i0 < 1 ? 0 : stage7[group0 + 3 * i0 - 1]);
    }
    for (int i1 = 0; i1 < (n / 2); ++i1) {
        const int key0 = (int)(right_shift_uint(as_uint(stage5_0[group0 * (n / 2) + i1]), 30U) & 3U);
        const int place0 = kept0[key0];
        kept0[key0] = place0 + 1;
        result[place0] = ((long)stage5_1[group0 * (n / 2) + i1]);
    }
    int group1 = (int)get_group_id(0);
    if (group1 < 1) {
        for (int i2 = 0; i2 < 4; ++i2) {
            kept0[i2] = stage7[group1 + 3 * i2 + 1];
        }
        for (int i3 = 0; i3 < (n % 2); ++i3) {
            const int key1 = (int)(right_shift_uint(as_uint(stage5_0[group1 * (n % 2) + i3 + 2 * (n / 2)]), 30U) & 3U);
            const int place1 = kept0[key1];
            kept0[key1] = place1 + 1;
            result[place1] = ((long)stage5_1[group1 * (n % 2) + i3 + 2 * (n / 2)]);
        }
    }
}
