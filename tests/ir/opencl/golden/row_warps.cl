#pragma OPENCL FP_CONTRACT OFF
typedef float2 __attribute__((aligned(sizeof(float)))) unaligned_float2;

__kernel void row_warps(
    __global const float* restrict ys,
    __global const float* restrict xss,
    __global float* restrict result,
    int m,
    int n)
{
    __local float shared0[66];
    __local float shared1[22];
    for (int group0 = (int)get_group_id(0); group0 < (n / 2); group0 += (int)get_num_groups(0)) {
        int warp0 = (int)(get_local_id(0) / 32);
        int lane0 = (int)(get_local_id(0) % 32);
        float2 acc0 = (float2)(0.0f);
        for (int i0 = 0; i0 < (m / 64); ++i0) {
            const float2 t0 = (*(__global const unaligned_float2*)(xss + (2 * group0 * m + m * warp0 + 64 * i0 + 2 * lane0)) * *(__global const unaligned_float2*)(ys + (64 * i0 + 2 * lane0)));
            acc0 = (acc0 + t0);
        }
        float acc1 = 0.0f;
        acc1 = (acc1 + acc0.s0);
        acc1 = (acc1 + acc0.s1);
        shared0[lane0 + 33 * warp0] = acc1;
        int lane1 = (int)(get_local_id(0) % 32);
        if (lane1 < 1) {
            float acc2 = 0.0f;
            for (int i1 = 0; i1 < (m % 64); ++i1) {
                const float t1 = (xss[2 * group0 * m + lane1 * (m % 64) + m * warp0 + i1 + 64 * (m / 64)] * ys[lane1 * (m % 64) + i1 + 64 * (m / 64)]);
                acc2 = (acc2 + t1);
            }
            shared0[lane1 + 33 * warp0 + 32] = acc2;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int warp1 = (int)(get_local_id(0) / 32);
        int lane2 = (int)(get_local_id(0) % 32);
        if (lane2 < 11) {
            float acc3 = 0.0f;
            acc3 = (acc3 + shared0[3 * lane2 + 33 * warp1]);
            acc3 = (acc3 + shared0[3 * lane2 + 33 * warp1 + 1]);
            acc3 = (acc3 + shared0[3 * lane2 + 33 * warp1 + 2]);
            shared1[lane2 + 11 * warp1] = acc3;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int warp2 = (int)(get_local_id(0) / 32);
        int lane3 = (int)(get_local_id(0) % 32);
        if (lane3 < 1) {
            float acc4 = 0.0f;
            acc4 = (acc4 + shared1[11 * lane3 + 11 * warp2]);
            acc4 = (acc4 + shared1[11 * lane3 + 11 * warp2 + 1]);
            acc4 = (acc4 + shared1[11 * lane3 + 11 * warp2 + 2]);
            acc4 = (acc4 + shared1[11 * lane3 + 11 * warp2 + 3]);
            acc4 = (acc4 + shared1[11 * lane3 + 11 * warp2 + 4]);
            acc4 = (acc4 + shared1[11 * lane3 + 11 * warp2 + 5]);
            acc4 = (acc4 + shared1[11 * lane3 + 11 * warp2 + 6]);
            acc4 = (acc4 + shared1[11 * lane3 + 11 * warp2 + 7]);
            acc4 = (acc4 + shared1[11 * lane3 + 11 * warp2 + 8]);
            acc4 = (acc4 + shared1[11 * lane3 + 11 * warp2 + 9]);
            acc4 = (acc4 + shared1[11 * lane3 + 11 * warp2 + 10]);
            result[2 * group0 + lane3 + warp2] = acc4;
        }
    }
    for (int group1 = (int)get_group_id(0); group1 < (n % 2); group1 += (int)get_num_groups(0)) {
        int warp3 = (int)(get_local_id(0) / 32);
        if (warp3 < 1) {
            int lane4 = (int)(get_local_id(0) % 32);
            float2 acc5 = (float2)(0.0f);
            for (int i2 = 0; i2 < (m / 64); ++i2) {
                const float2 t2 = (*(__global const unaligned_float2*)(xss + (group1 * m + m * warp3 + 2 * m * (n / 2) + 64 * i2 + 2 * lane4)) * *(__global const unaligned_float2*)(ys + (64 * i2 + 2 * lane4)));
                acc5 = (acc5 + t2);
            }
            float acc6 = 0.0f;
            acc6 = (acc6 + acc5.s0);
            acc6 = (acc6 + acc5.s1);
            shared0[lane4 + 33 * warp3] = acc6;
            int lane5 = (int)(get_local_id(0) % 32);
            if (lane5 < 1) {
                float acc7 = 0.0f;
                for (int i3 = 0; i3 < (m % 64); ++i3) {
                    const float t3 = (xss[group1 * m + lane5 * (m % 64) + m * warp3 + 2 * m * (n / 2) + i3 + 64 * (m / 64)] * ys[lane5 * (m % 64) + i3 + 64 * (m / 64)]);
                    acc7 = (acc7 + t3);
                }
                shared0[lane5 + 33 * warp3 + 32] = acc7;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int warp4 = (int)(get_local_id(0) / 32);
        if (warp4 < 1) {
            int lane6 = (int)(get_local_id(0) % 32);
            if (lane6 < 11) {
                float acc8 = 0.0f;
                acc8 = (acc8 + shared0[3 * lane6 + 33 * warp4]);
                acc8 = (acc8 + shared0[3 * lane6 + 33 * warp4 + 1]);
                acc8 = (acc8 + shared0[3 * lane6 + 33 * warp4 + 2]);
                shared1[lane6 + 11 * warp4] = acc8;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int warp5 = (int)(get_local_id(0) / 32);
        if (warp5 < 1) {
            int lane7 = (int)(get_local_id(0) % 32);
            if (lane7 < 1) {
                float acc9 = 0.0f;
                acc9 = (acc9 + shared1[11 * lane7 + 11 * warp5]);
                acc9 = (acc9 + shared1[11 * lane7 + 11 * warp5 + 1]);
                acc9 = (acc9 + shared1[11 * lane7 + 11 * warp5 + 2]);
                acc9 = (acc9 + shared1[11 * lane7 + 11 * warp5 + 3]);
                acc9 = (acc9 + shared1[11 * lane7 + 11 * warp5 + 4]);
                acc9 = (acc9 + shared1[11 * lane7 + 11 * warp5 + 5]);
                acc9 = (acc9 + shared1[11 * lane7 + 11 * warp5 + 6]);
                acc9 = (acc9 + shared1[11 * lane7 + 11 * warp5 + 7]);
                acc9 = (acc9 + shared1[11 * lane7 + 11 * warp5 + 8]);
                acc9 = (acc9 + shared1[11 * lane7 + 11 * warp5 + 9]);
                acc9 = (acc9 + shared1[11 * lane7 + 11 * warp5 + 10]);
                result[group1 + lane7 + warp5 + 2 * (n / 2)] = acc9;
            }
        }
    }
}
