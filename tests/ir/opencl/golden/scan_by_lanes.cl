#pragma OPENCL FP_CONTRACT OFF
#if defined(__NV_CL_C_VERSION)
#define LANE_UP_4(to, from, distance, kept) \
    asm volatile("shfl.sync.up.b32 %0, %1, " #distance ", 0, 0xffffffff;" : "=r"(to) : "r"(from))
#define LANE_UP_8(to, from, distance, kept) \
    asm volatile("{.reg .b32 lo, hi; mov.b64 {lo, hi}, %1; shfl.sync.up.b32 lo, lo, " #distance ", 0, 0xffffffff; " \
        "shfl.sync.up.b32 hi, hi, " #distance ", 0, 0xffffffff; mov.b64 %0, {lo, hi};}" : "=l"(to) : "l"(from))
#else
#define LANE_UP_4(to, from, distance, kept) \
    kept[get_local_id(0)] = from; \
    barrier(CLK_LOCAL_MEM_FENCE); \
    to = kept[get_local_id(0) < distance ? 0 : get_local_id(0) - distance]; \
    barrier(CLK_LOCAL_MEM_FENCE)
#define LANE_UP_8 LANE_UP_4
#endif
int floor_div(int a, int b) {
    int q = a / b;
    return q - ((a % b != 0) && ((a < 0) != (b < 0)));
}

__kernel void scan_by_lanes_0(
    __global const float* restrict xs,
    __global float* restrict stage0,
    int n)
{
    __local float shared0[64] __attribute__((aligned(16)));
    __local float shared1[64] __attribute__((aligned(16)));
    __local float shared2[64] __attribute__((aligned(16)));
    __local float shared3[64] __attribute__((aligned(16)));
    __local uint lanes4[64] __attribute__((aligned(16)));
    for (int group0 = (int)get_group_id(0); group0 < (n / 192); group0 += (int)get_num_groups(0)) {
        int item0 = (int)get_local_id(0);
        float acc0 = (-0.0f);
        float acc1 = (-0.0f);
        const float t0 = ((fabs(xs[192 * group0 + item0]) + fabs(xs[192 * group0 + item0 + 64])) + fabs(xs[192 * group0 + item0 + 128]));
        const float t1 = (acc0 + t0);
        const float t2 = (t1 - acc0);
        const float next0 = t1;
        const float next1 = ((acc1 + (-0.0f)) + ((acc0 - (t1 - t2)) + (t0 - t2)));
        acc0 = next0;
        acc1 = next1;
        shared0[item0] = acc0;
        shared1[item0] = acc1;
        int item1 = (int)get_local_id(0);
        float held0 = shared0[item1];
        float held1 = shared1[item1];
        uint handed0;
        LANE_UP_4(handed0, as_uint(held0), 1, lanes4);
        uint handed1;
        LANE_UP_4(handed1, as_uint(held1), 1, lanes4);
        if (((item1 % 32)) >= 1) {
            const float t3 = (as_float(handed0) + held0);
            const float t4 = (t3 - as_float(handed0));
            const float next2 = t3;
            const float next3 = ((as_float(handed1) + held1) + ((as_float(handed0) - (t3 - t4)) + (held0 - t4)));
            held0 = next2;
            held1 = next3;
        }
        uint handed2;
        LANE_UP_4(handed2, as_uint(held0), 2, lanes4);
        uint handed3;
        LANE_UP_4(handed3, as_uint(held1), 2, lanes4);
        if (((item1 % 32)) >= 2) {
            const float t5 = (as_float(handed2) + held0);
            const float t6 = (t5 - as_float(handed2));
            const float next4 = t5;
            const float next5 = ((as_float(handed3) + held1) + ((as_float(handed2) - (t5 - t6)) + (held0 - t6)));
            held0 = next4;
            held1 = next5;
        }
        uint handed4;
        LANE_UP_4(handed4, as_uint(held0), 4, lanes4);
        uint handed5;
        LANE_UP_4(handed5, as_uint(held1), 4, lanes4);
        if (((item1 % 32)) >= 4) {
            const float t7 = (as_float(handed4) + held0);
            const float t8 = (t7 - as_float(handed4));
            const float next6 = t7;
            const float next7 = ((as_float(handed5) + held1) + ((as_float(handed4) - (t7 - t8)) + (held0 - t8)));
            held0 = next6;
            held1 = next7;
        }
        uint handed6;
        LANE_UP_4(handed6, as_uint(held0), 8, lanes4);
        uint handed7;
        LANE_UP_4(handed7, as_uint(held1), 8, lanes4);
        if (((item1 % 32)) >= 8) {
            const float t9 = (as_float(handed6) + held0);
            const float t10 = (t9 - as_float(handed6));
            const float next8 = t9;
            const float next9 = ((as_float(handed7) + held1) + ((as_float(handed6) - (t9 - t10)) + (held0 - t10)));
            held0 = next8;
            held1 = next9;
        }
        uint handed8;
        LANE_UP_4(handed8, as_uint(held0), 16, lanes4);
        uint handed9;
        LANE_UP_4(handed9, as_uint(held1), 16, lanes4);
        if (((item1 % 32)) >= 16) {
            const float t11 = (as_float(handed8) + held0);
            const float t12 = (t11 - as_float(handed8));
            const float next10 = t11;
            const float next11 = ((as_float(handed9) + held1) + ((as_float(handed8) - (t11 - t12)) + (held0 - t12)));
            held0 = next10;
            held1 = next11;
        }
        const float t13 = ((-0.0f) + held0);
        const float t14 = (t13 - (-0.0f));
        shared2[item1] = t13;
        shared3[item1] = (((-0.0f) + held1) + (((-0.0f) - (t13 - t14)) + (held0 - t14)));
        barrier(CLK_LOCAL_MEM_FENCE);
        int item2 = (int)get_local_id(0);
        if (item2 < 1) {
            float acc2 = (-0.0f);
            float acc3 = (-0.0f);
            const float e0 = shared2[64 * item2 + 31];
            const float t15 = (acc2 + e0);
            const float t16 = (t15 - acc2);
            const float next12 = t15;
            const float next13 = ((acc3 + shared3[64 * item2 + 31]) + ((acc2 - (t15 - t16)) + (e0 - t16)));
            acc2 = next12;
            acc3 = next13;
            const float e1 = shared2[64 * item2 + 63];
            const float t17 = (acc2 + e1);
            const float t18 = (t17 - acc2);
            const float next14 = t17;
            const float next15 = ((acc3 + shared3[64 * item2 + 63]) + ((acc2 - (t17 - t18)) + (e1 - t18)));
            acc2 = next14;
            acc3 = next15;
            stage0[group0 + item2] = ((fabs(acc3) > (-0.0f)) ? (acc2 + acc3) : acc2);
        }
    }
}

__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void scan_by_lanes_1(
    __global const float* restrict xs,
    __global const float* restrict stage0,
    __global float* restrict result,
    int n)
{
    float kept0[3];
    __local float shared0[192] __attribute__((aligned(16)));
    __local float shared1[64] __attribute__((aligned(16)));
    __local uint lanes4[64] __attribute__((aligned(16)));
    __local float shared6[64] __attribute__((aligned(16)));
    __local float shared7[64] __attribute__((aligned(16)));
    __local float shared8[64] __attribute__((aligned(16)));
    for (int group0 = (int)get_group_id(0); group0 < (n / 192); group0 += (int)get_num_groups(0)) {
        for (int i0 = 0; i0 < 3; ++i0) {
            int item0 = (int)get_local_id(0);
            shared0[64 * i0 + item0] = fabs(xs[64 * i0 + item0 + 192 * (n / 192) - 192 * group0 - 192]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int item1 = (int)get_local_id(0);
        kept0[0] = shared0[3 * item1];
        kept0[1] = shared0[3 * item1 + 1];
        kept0[2] = shared0[3 * item1 + 2];
        int item2 = (int)get_local_id(0);
        if (item2 < 63) {
            float acc0 = (-0.0f);
            float acc1 = (-0.0f);
            for (int i1 = 0; i1 < 3; ++i1) {
                const float e0 = kept0[i1];
                const float t0 = (acc0 + e0);
                const float t1 = (t0 - acc0);
                const float next0 = t0;
                const float next1 = ((acc1 + (-0.0f)) + ((acc0 - (t0 - t1)) + (e0 - t1)));
                acc0 = next0;
                acc1 = next1;
            }
            shared1[item2] = ((fabs(acc1) > (-0.0f)) ? (acc0 + acc1) : acc0);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int item3 = (int)get_local_id(0);
        float held0 = (item3 < 1 ? (-0.0f) : shared1[item3 - 1]);
        uint handed0;
        LANE_UP_4(handed0, as_uint(held0), 1, lanes4);
        if (((item3 % 32)) >= 1) {
            held0 = (as_float(handed0) + held0);
        }
        uint handed1;
        LANE_UP_4(handed1, as_uint(held0), 2, lanes4);
        if (((item3 % 32)) >= 2) {
            held0 = (as_float(handed1) + held0);
        }
        uint handed2;
        LANE_UP_4(handed2, as_uint(held0), 4, lanes4);
        if (((item3 % 32)) >= 4) {
            held0 = (as_float(handed2) + held0);
        }
        uint handed3;
        LANE_UP_4(handed3, as_uint(held0), 8, lanes4);
        if (((item3 % 32)) >= 8) {
            held0 = (as_float(handed3) + held0);
        }
        uint handed4;
        LANE_UP_4(handed4, as_uint(held0), 16, lanes4);
        if (((item3 % 32)) >= 16) {
            held0 = (as_float(handed4) + held0);
        }
        shared0[item3] = ((-0.0f) + held0);
        barrier(CLK_LOCAL_MEM_FENCE);
        int item4 = (int)get_local_id(0);
        float acc2 = (-0.0f);
        float acc3 = (-0.0f);
        const float t2 = (((int)((uint)(int)((uint)0 + (uint)1) * (uint)32) <= item4) ? shared0[31] : (-0.0f));
        const float t3 = (acc2 + t2);
        const float t4 = (t3 - acc2);
        const float next2 = t3;
        const float next3 = ((acc3 + (-0.0f)) + ((acc2 - (t3 - t4)) + (t2 - t4)));
        acc2 = next2;
        acc3 = next3;
        shared1[item4] = (((fabs(acc3) > (-0.0f)) ? (acc2 + acc3) : acc2) + shared0[item4]);
        barrier(CLK_LOCAL_MEM_FENCE);
        int item5 = (int)get_local_id(0);
        float acc4 = (-0.0f);
        const float t5 = (acc4 + kept0[0]);
        shared0[3 * item5] = (shared1[item5] + t5);
        acc4 = t5;
        const float t6 = (acc4 + kept0[1]);
        shared0[3 * item5 + 1] = (shared1[item5] + t6);
        acc4 = t6;
        const float t7 = (acc4 + kept0[2]);
        shared0[3 * item5 + 2] = (shared1[item5] + t7);
        acc4 = t7;
        int item7 = (int)get_local_id(0);
        float acc5 = (-0.0f);
        float acc6 = (-0.0f);
        for (int i3 = 0; i3 < -floor_div(-(n / 192), 512); ++i3) {
            const int e1 = ((n / 192) - group0 - 1);
            const float t8 = (((512 * i3 + item7) < e1) ? (512 * i3 + item7 < (n / 192) ? stage0[512 * i3 + item7] : (-0.0f)) : (-0.0f));
            const float t9 = (((512 * i3 + item7 + 64) < e1) ? (512 * i3 + item7 + 64 < (n / 192) ? stage0[512 * i3 + item7 + 64] : (-0.0f)) : (-0.0f));
            const float t10 = (((512 * i3 + item7 + 128) < e1) ? (512 * i3 + item7 + 128 < (n / 192) ? stage0[512 * i3 + item7 + 128] : (-0.0f)) : (-0.0f));
            const float t11 = (((512 * i3 + item7 + 192) < e1) ? (512 * i3 + item7 + 192 < (n / 192) ? stage0[512 * i3 + item7 + 192] : (-0.0f)) : (-0.0f));
            const float t12 = (((512 * i3 + item7 + 256) < e1) ? (512 * i3 + item7 + 256 < (n / 192) ? stage0[512 * i3 + item7 + 256] : (-0.0f)) : (-0.0f));
            const float t13 = (((512 * i3 + item7 + 320) < e1) ? (512 * i3 + item7 + 320 < (n / 192) ? stage0[512 * i3 + item7 + 320] : (-0.0f)) : (-0.0f));
            const float t14 = (((512 * i3 + item7 + 384) < e1) ? (512 * i3 + item7 + 384 < (n / 192) ? stage0[512 * i3 + item7 + 384] : (-0.0f)) : (-0.0f));
            const float t15 = (((512 * i3 + item7 + 448) < e1) ? (512 * i3 + item7 + 448 < (n / 192) ? stage0[512 * i3 + item7 + 448] : (-0.0f)) : (-0.0f));
            const float t16 = (((t8 + t9) + (t10 + t11)) + ((t12 + t13) + (t14 + t15)));
            const float t17 = (acc5 + t16);
            const float t18 = (t17 - acc5);
            const float next4 = t17;
            const float next5 = ((acc6 + (-0.0f)) + ((acc5 - (t17 - t18)) + (t16 - t18)));
            acc5 = next4;
            acc6 = next5;
        }
        shared1[item7] = acc5;
        shared6[item7] = acc6;
        int item8 = (int)get_local_id(0);
        float held1 = shared1[item8];
        float held2 = shared6[item8];
        uint handed5;
        LANE_UP_4(handed5, as_uint(held1), 1, lanes4);
        uint handed6;
        LANE_UP_4(handed6, as_uint(held2), 1, lanes4);
        if (((item8 % 32)) >= 1) {
            const float t19 = (as_float(handed5) + held1);
            const float t20 = (t19 - as_float(handed5));
            const float next6 = t19;
            const float next7 = ((as_float(handed6) + held2) + ((as_float(handed5) - (t19 - t20)) + (held1 - t20)));
            held1 = next6;
            held2 = next7;
        }
        uint handed7;
        LANE_UP_4(handed7, as_uint(held1), 2, lanes4);
        uint handed8;
        LANE_UP_4(handed8, as_uint(held2), 2, lanes4);
        if (((item8 % 32)) >= 2) {
            const float t21 = (as_float(handed7) + held1);
            const float t22 = (t21 - as_float(handed7));
            const float next8 = t21;
            const float next9 = ((as_float(handed8) + held2) + ((as_float(handed7) - (t21 - t22)) + (held1 - t22)));
            held1 = next8;
            held2 = next9;
        }
        uint handed9;
        LANE_UP_4(handed9, as_uint(held1), 4, lanes4);
        uint handed10;
        LANE_UP_4(handed10, as_uint(held2), 4, lanes4);
        if (((item8 % 32)) >= 4) {
            const float t23 = (as_float(handed9) + held1);
            const float t24 = (t23 - as_float(handed9));
            const float next10 = t23;
            const float next11 = ((as_float(handed10) + held2) + ((as_float(handed9) - (t23 - t24)) + (held1 - t24)));
            held1 = next10;
            held2 = next11;
        }
        uint handed11;
        LANE_UP_4(handed11, as_uint(held1), 8, lanes4);
        uint handed12;
        LANE_UP_4(handed12, as_uint(held2), 8, lanes4);
        if (((item8 % 32)) >= 8) {
            const float t25 = (as_float(handed11) + held1);
            const float t26 = (t25 - as_float(handed11));
            const float next12 = t25;
            const float next13 = ((as_float(handed12) + held2) + ((as_float(handed11) - (t25 - t26)) + (held1 - t26)));
            held1 = next12;
            held2 = next13;
        }
        uint handed13;
        LANE_UP_4(handed13, as_uint(held1), 16, lanes4);
        uint handed14;
        LANE_UP_4(handed14, as_uint(held2), 16, lanes4);
        if (((item8 % 32)) >= 16) {
            const float t27 = (as_float(handed13) + held1);
            const float t28 = (t27 - as_float(handed13));
            const float next14 = t27;
            const float next15 = ((as_float(handed14) + held2) + ((as_float(handed13) - (t27 - t28)) + (held1 - t28)));
            held1 = next14;
            held2 = next15;
        }
        const float t29 = ((-0.0f) + held1);
        const float t30 = (t29 - (-0.0f));
        shared7[item8] = t29;
        shared8[item8] = (((-0.0f) + held2) + (((-0.0f) - (t29 - t30)) + (held1 - t30)));
        barrier(CLK_LOCAL_MEM_FENCE);
        int item9 = (int)get_local_id(0);
        if (item9 < 1) {
            float acc7 = (-0.0f);
            float acc8 = (-0.0f);
            const float e2 = shared7[64 * item9 + 31];
            const float t31 = (acc7 + e2);
            const float t32 = (t31 - acc7);
            const float next16 = t31;
            const float next17 = ((acc8 + shared8[64 * item9 + 31]) + ((acc7 - (t31 - t32)) + (e2 - t32)));
            acc7 = next16;
            acc8 = next17;
            const float e3 = shared7[64 * item9 + 63];
            const float t33 = (acc7 + e3);
            const float t34 = (t33 - acc7);
            const float next18 = t33;
            const float next19 = ((acc8 + shared8[64 * item9 + 63]) + ((acc7 - (t33 - t34)) + (e3 - t34)));
            acc7 = next18;
            acc8 = next19;
            shared1[item9] = ((fabs(acc8) > (-0.0f)) ? (acc7 + acc8) : acc7);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i2 = 0; i2 < 3; ++i2) {
            int item6 = (int)get_local_id(0);
            result[64 * i2 + item6 + 192 * (n / 192) - 192 * group0 - 192] = ((0.0f + shared1[0]) + shared0[64 * i2 + item6]);
        }
    }
    for (int group1 = (int)get_group_id(0); group1 < 1; group1 += (int)get_num_groups(0)) {
        for (int i4 = 0; i4 < 3; ++i4) {
            int item10 = (int)get_local_id(0);
            const float t35 = fabs((64 * i4 + item10 < (n % 192) ? xs[group1 * (n % 192) + 64 * i4 + item10 + 192 * (n / 192)] : 0.0f));
            shared0[64 * i4 + item10] = t35;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int item11 = (int)get_local_id(0);
        kept0[0] = shared0[3 * item11];
        kept0[1] = shared0[3 * item11 + 1];
        kept0[2] = shared0[3 * item11 + 2];
        int item12 = (int)get_local_id(0);
        if (item12 < 63) {
            float acc9 = (-0.0f);
            float acc10 = (-0.0f);
            for (int i5 = 0; i5 < 3; ++i5) {
                const float e4 = kept0[i5];
                const float t36 = (acc9 + e4);
                const float t37 = (t36 - acc9);
                const float next20 = t36;
                const float next21 = ((acc10 + (-0.0f)) + ((acc9 - (t36 - t37)) + (e4 - t37)));
                acc9 = next20;
                acc10 = next21;
            }
            shared1[item12] = ((fabs(acc10) > (-0.0f)) ? (acc9 + acc10) : acc9);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int item13 = (int)get_local_id(0);
        float held3 = (item13 < 1 ? (-0.0f) : shared1[item13 - 1]);
        uint handed15;
        LANE_UP_4(handed15, as_uint(held3), 1, lanes4);
        if (((item13 % 32)) >= 1) {
            held3 = (as_float(handed15) + held3);
        }
        uint handed16;
        LANE_UP_4(handed16, as_uint(held3), 2, lanes4);
        if (((item13 % 32)) >= 2) {
            held3 = (as_float(handed16) + held3);
        }
        uint handed17;
        LANE_UP_4(handed17, as_uint(held3), 4, lanes4);
        if (((item13 % 32)) >= 4) {
            held3 = (as_float(handed17) + held3);
        }
        uint handed18;
        LANE_UP_4(handed18, as_uint(held3), 8, lanes4);
        if (((item13 % 32)) >= 8) {
            held3 = (as_float(handed18) + held3);
        }
        uint handed19;
        LANE_UP_4(handed19, as_uint(held3), 16, lanes4);
        if (((item13 % 32)) >= 16) {
            held3 = (as_float(handed19) + held3);
        }
        shared0[item13] = ((-0.0f) + held3);
        barrier(CLK_LOCAL_MEM_FENCE);
        int item14 = (int)get_local_id(0);
        float acc11 = (-0.0f);
        float acc12 = (-0.0f);
        const float t38 = (((int)((uint)(int)((uint)0 + (uint)1) * (uint)32) <= item14) ? shared0[31] : (-0.0f));
        const float t39 = (acc11 + t38);
        const float t40 = (t39 - acc11);
        const float next22 = t39;
        const float next23 = ((acc12 + (-0.0f)) + ((acc11 - (t39 - t40)) + (t38 - t40)));
        acc11 = next22;
        acc12 = next23;
        shared1[item14] = (((fabs(acc12) > (-0.0f)) ? (acc11 + acc12) : acc11) + shared0[item14]);
        barrier(CLK_LOCAL_MEM_FENCE);
        int item15 = (int)get_local_id(0);
        float acc13 = (-0.0f);
        const float t41 = (acc13 + kept0[0]);
        shared0[3 * item15] = (shared1[item15] + t41);
        acc13 = t41;
        const float t42 = (acc13 + kept0[1]);
        shared0[3 * item15 + 1] = (shared1[item15] + t42);
        acc13 = t42;
        const float t43 = (acc13 + kept0[2]);
        shared0[3 * item15 + 2] = (shared1[item15] + t43);
        acc13 = t43;
        int item17 = (int)get_local_id(0);
        float acc14 = (-0.0f);
        float acc15 = (-0.0f);
        for (int i7 = 0; i7 < -floor_div(-(n / 192), 512); ++i7) {
            const int e5 = (group1 + (n / 192));
            const float t44 = (((512 * i7 + item17) < e5) ? (512 * i7 + item17 < (n / 192) ? stage0[512 * i7 + item17] : (-0.0f)) : (-0.0f));
            const float t45 = (((512 * i7 + item17 + 64) < e5) ? (512 * i7 + item17 + 64 < (n / 192) ? stage0[512 * i7 + item17 + 64] : (-0.0f)) : (-0.0f));
            const float t46 = (((512 * i7 + item17 + 128) < e5) ? (512 * i7 + item17 + 128 < (n / 192) ? stage0[512 * i7 + item17 + 128] : (-0.0f)) : (-0.0f));
            const float t47 = (((512 * i7 + item17 + 192) < e5) ? (512 * i7 + item17 + 192 < (n / 192) ? stage0[512 * i7 + item17 + 192] : (-0.0f)) : (-0.0f));
            const float t48 = (((512 * i7 + item17 + 256) < e5) ? (512 * i7 + item17 + 256 < (n / 192) ? stage0[512 * i7 + item17 + 256] : (-0.0f)) : (-0.0f));
            const float t49 = (((512 * i7 + item17 + 320) < e5) ? (512 * i7 + item17 + 320 < (n / 192) ? stage0[512 * i7 + item17 + 320] : (-0.0f)) : (-0.0f));
            const float t50 = (((512 * i7 + item17 + 384) < e5) ? (512 * i7 + item17 + 384 < (n / 192) ? stage0[512 * i7 + item17 + 384] : (-0.0f)) : (-0.0f));
            const float t51 = (((512 * i7 + item17 + 448) < e5) ? (512 * i7 + item17 + 448 < (n / 192) ? stage0[512 * i7 + item17 + 448] : (-0.0f)) : (-0.0f));
            const float t52 = (((t44 + t45) + (t46 + t47)) + ((t48 + t49) + (t50 + t51)));
            const float t53 = (acc14 + t52);
            const float t54 = (t53 - acc14);
            const float next24 = t53;
            const float next25 = ((acc15 + (-0.0f)) + ((acc14 - (t53 - t54)) + (t52 - t54)));
            acc14 = next24;
            acc15 = next25;
        }
        shared1[item17] = acc14;
        shared6[item17] = acc15;
        int item18 = (int)get_local_id(0);
        float held4 = shared1[item18];
        float held5 = shared6[item18];
        uint handed20;
        LANE_UP_4(handed20, as_uint(held4), 1, lanes4);
        uint handed21;
        LANE_UP_4(handed21, as_uint(held5), 1, lanes4);
        if (((item18 % 32)) >= 1) {
            const float t55 = (as_float(handed20) + held4);
            const float t56 = (t55 - as_float(handed20));
            const float next26 = t55;
            const float next27 = ((as_float(handed21) + held5) + ((as_float(handed20) - (t55 - t56)) + (held4 - t56)));
            held4 = next26;
            held5 = next27;
        }
        uint handed22;
        LANE_UP_4(handed22, as_uint(held4), 2, lanes4);
        uint handed23;
        LANE_UP_4(handed23, as_uint(held5), 2, lanes4);
        if (((item18 % 32)) >= 2) {
            const float t57 = (as_float(handed22) + held4);
            const float t58 = (t57 - as_float(handed22));
            const float next28 = t57;
            const float next29 = ((as_float(handed23) + held5) + ((as_float(handed22) - (t57 - t58)) + (held4 - t58)));
            held4 = next28;
            held5 = next29;
        }
        uint handed24;
        LANE_UP_4(handed24, as_uint(held4), 4, lanes4);
        uint handed25;
        LANE_UP_4(handed25, as_uint(held5), 4, lanes4);
        if (((item18 % 32)) >= 4) {
            const float t59 = (as_float(handed24) + held4);
            const float t60 = (t59 - as_float(handed24));
            const float next30 = t59;
            const float next31 = ((as_float(handed25) + held5) + ((as_float(handed24) - (t59 - t60)) + (held4 - t60)));
            held4 = next30;
            held5 = next31;
        }
        uint handed26;
        LANE_UP_4(handed26, as_uint(held4), 8, lanes4);
        uint handed27;
        LANE_UP_4(handed27, as_uint(held5), 8, lanes4);
        if (((item18 % 32)) >= 8) {
            const float t61 = (as_float(handed26) + held4);
            const float t62 = (t61 - as_float(handed26));
            const float next32 = t61;
            const float next33 = ((as_float(handed27) + held5) + ((as_float(handed26) - (t61 - t62)) + (held4 - t62)));
            held4 = next32;
            held5 = next33;
        }
        uint handed28;
        LANE_UP_4(handed28, as_uint(held4), 16, lanes4);
        uint handed29;
        LANE_UP_4(handed29, as_uint(held5), 16, lanes4);
        if (((item18 % 32)) >= 16) {
            const float t63 = (as_float(handed28) + held4);
            const float t64 = (t63 - as_float(handed28));
            const float next34 = t63;
            const float next35 = ((as_float(handed29) + held5) + ((as_float(handed28) - (t63 - t64)) + (held4 - t64)));
            held4 = next34;
            held5 = next35;
        }
        const float t65 = ((-0.0f) + held4);
        const float t66 = (t65 - (-0.0f));
        shared7[item18] = t65;
        shared8[item18] = (((-0.0f) + held5) + (((-0.0f) - (t65 - t66)) + (held4 - t66)));
        barrier(CLK_LOCAL_MEM_FENCE);
        int item19 = (int)get_local_id(0);
        if (item19 < 1) {
            float acc16 = (-0.0f);
            float acc17 = (-0.0f);
            const float e6 = shared7[64 * item19 + 31];
            const float t67 = (acc16 + e6);
            const float t68 = (t67 - acc16);
            const float next36 = t67;
            const float next37 = ((acc17 + shared8[64 * item19 + 31]) + ((acc16 - (t67 - t68)) + (e6 - t68)));
            acc16 = next36;
            acc17 = next37;
            const float e7 = shared7[64 * item19 + 63];
            const float t69 = (acc16 + e7);
            const float t70 = (t69 - acc16);
            const float next38 = t69;
            const float next39 = ((acc17 + shared8[64 * item19 + 63]) + ((acc16 - (t69 - t70)) + (e7 - t70)));
            acc16 = next38;
            acc17 = next39;
            shared1[item19] = ((fabs(acc17) > (-0.0f)) ? (acc16 + acc17) : acc16);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i6 = 0; i6 < 3; ++i6) {
            int item16 = (int)get_local_id(0);
            if (64 * i6 + item16 < (n % 192)) {
                result[group1 * (n % 192) + 64 * i6 + item16 + 192 * (n / 192)] = ((0.0f + shared1[0]) + shared0[64 * i6 + item16]);
            }
        }
    }
}
