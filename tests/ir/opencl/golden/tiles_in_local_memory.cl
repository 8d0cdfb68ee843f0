#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

__kernel void tiles_in_local_memory(
    __global const double* restrict xs,
    __global const double* restrict ys,
    __global double* restrict result,
    int m,
    int n)
{
    __local double shared0[272] __attribute__((aligned(16)));
    for (int group0 = (int)get_group_id(1); group0 < (m / 16); group0 += (int)get_num_groups(1)) {
        for (int group1 = (int)get_group_id(0); group1 < (n / 16); group1 += (int)get_num_groups(0)) {
            int item0 = (int)get_local_id(1);
            int item1 = (int)get_local_id(0);
            shared0[68 * item0 + item1] = xs[16 * group1 * m + 4 * item0 * m + 16 * group0 + item1];
            int item2 = (int)get_local_id(0);
            if (item2 < 1) {
                shared0[68 * item0 + item2 + 16] = xs[16 * group1 * m + 4 * item0 * m + 16 * group0 + item2];
            }
            int item3 = (int)get_local_id(0);
            shared0[68 * item0 + item3 + 17] = xs[16 * group1 * m + 4 * item0 * m + 16 * group0 + item3 + m];
            int item4 = (int)get_local_id(0);
            if (item4 < 1) {
                shared0[68 * item0 + item4 + 33] = xs[16 * group1 * m + 4 * item0 * m + 16 * group0 + item4 + m];
            }
            int item5 = (int)get_local_id(0);
            shared0[68 * item0 + item5 + 34] = xs[16 * group1 * m + 4 * item0 * m + 16 * group0 + item5 + 2 * m];
            int item6 = (int)get_local_id(0);
            if (item6 < 1) {
                shared0[68 * item0 + item6 + 50] = xs[16 * group1 * m + 4 * item0 * m + 16 * group0 + item6 + 2 * m];
            }
            int item7 = (int)get_local_id(0);
            shared0[68 * item0 + item7 + 51] = xs[16 * group1 * m + 4 * item0 * m + 16 * group0 + item7 + 3 * m];
            int item8 = (int)get_local_id(0);
            if (item8 < 1) {
                shared0[68 * item0 + item8 + 67] = xs[16 * group1 * m + 4 * item0 * m + 16 * group0 + item8 + 3 * m];
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            int item9 = (int)get_local_id(1);
            int item10 = (int)get_local_id(0);
            const double t0 = ((shared0[17 * item10 + 4 * item9] * 2.0) - ys[16 * group0 * n + 4 * item9 * n + 16 * group1 + item10]);
            result[16 * group0 * n + 4 * item9 * n + 16 * group1 + item10] = t0;
            int item11 = (int)get_local_id(0);
            const double t1 = ((shared0[17 * item11 + 4 * item9 + 1] * 2.0) - ys[16 * group0 * n + 4 * item9 * n + 16 * group1 + item11 + n]);
            result[16 * group0 * n + 4 * item9 * n + 16 * group1 + item11 + n] = t1;
            int item12 = (int)get_local_id(0);
            const double t2 = ((shared0[17 * item12 + 4 * item9 + 2] * 2.0) - ys[16 * group0 * n + 4 * item9 * n + 16 * group1 + item12 + 2 * n]);
            result[16 * group0 * n + 4 * item9 * n + 16 * group1 + item12 + 2 * n] = t2;
            int item13 = (int)get_local_id(0);
            const double t3 = ((shared0[17 * item13 + 4 * item9 + 3] * 2.0) - ys[16 * group0 * n + 4 * item9 * n + 16 * group1 + item13 + 3 * n]);
            result[16 * group0 * n + 4 * item9 * n + 16 * group1 + item13 + 3 * n] = t3;
        }
        int group2 = (int)get_group_id(0);
        if (group2 < 1) {
            int item14 = (int)get_local_id(1);
            int item15 = (int)get_local_id(0);
            if (item15 < (n % 16)) {
                const double t4 = ((xs[group2 * m * (n % 16) + item15 * m + 16 * m * (n / 16) + 16 * group0 + 4 * item14] * 2.0) - ys[16 * group0 * n + group2 * (n % 16) + 4 * item14 * n + item15 + 16 * (n / 16)]);
                result[16 * group0 * n + group2 * (n % 16) + 4 * item14 * n + item15 + 16 * (n / 16)] = t4;
            }
            int item16 = (int)get_local_id(0);
            if (item16 < (n % 16)) {
                const double t5 = ((xs[group2 * m * (n % 16) + item16 * m + 16 * m * (n / 16) + 16 * group0 + 4 * item14 + 1] * 2.0) - ys[16 * group0 * n + group2 * (n % 16) + 4 * item14 * n + item16 + n + 16 * (n / 16)]);
                result[16 * group0 * n + group2 * (n % 16) + 4 * item14 * n + item16 + n + 16 * (n / 16)] = t5;
            }
            int item17 = (int)get_local_id(0);
            if (item17 < (n % 16)) {
                const double t6 = ((xs[group2 * m * (n % 16) + item17 * m + 16 * m * (n / 16) + 16 * group0 + 4 * item14 + 2] * 2.0) - ys[16 * group0 * n + group2 * (n % 16) + 4 * item14 * n + item17 + 2 * n + 16 * (n / 16)]);
                result[16 * group0 * n + group2 * (n % 16) + 4 * item14 * n + item17 + 2 * n + 16 * (n / 16)] = t6;
            }
            int item18 = (int)get_local_id(0);
            if (item18 < (n % 16)) {
                const double t7 = ((xs[group2 * m * (n % 16) + item18 * m + 16 * m * (n / 16) + 16 * group0 + 4 * item14 + 3] * 2.0) - ys[16 * group0 * n + group2 * (n % 16) + 4 * item14 * n + item18 + 3 * n + 16 * (n / 16)]);
                result[16 * group0 * n + group2 * (n % 16) + 4 * item14 * n + item18 + 3 * n + 16 * (n / 16)] = t7;
            }
        }
    }
    int group3 = (int)get_group_id(1);
    if (group3 < 1) {
        int group4 = (int)get_group_id(0);
        if (group4 < (n / 16)) {
            int item19 = (int)get_local_id(1);
            if (item19 < (((m / 4)) % 4)) {
                int item20 = (int)get_local_id(0);
                const double t8 = ((xs[group3 * (m % 16) + 16 * group4 * m + item20 * m + 4 * item19 + 16 * (m / 16)] * 2.0) - ys[group3 * n * (m % 16) + 4 * item19 * n + 16 * n * (m / 16) + 16 * group4 + item20]);
                result[group3 * n * (m % 16) + 4 * item19 * n + 16 * n * (m / 16) + 16 * group4 + item20] = t8;
                int item21 = (int)get_local_id(0);
                const double t9 = ((xs[group3 * (m % 16) + 16 * group4 * m + item21 * m + 4 * item19 + 16 * (m / 16) + 1] * 2.0) - ys[group3 * n * (m % 16) + 4 * item19 * n + 16 * n * (m / 16) + 16 * group4 + item21 + n]);
                result[group3 * n * (m % 16) + 4 * item19 * n + 16 * n * (m / 16) + 16 * group4 + item21 + n] = t9;
                int item22 = (int)get_local_id(0);
                const double t10 = ((xs[group3 * (m % 16) + 16 * group4 * m + item22 * m + 4 * item19 + 16 * (m / 16) + 2] * 2.0) - ys[group3 * n * (m % 16) + 4 * item19 * n + 16 * n * (m / 16) + 16 * group4 + item22 + 2 * n]);
                result[group3 * n * (m % 16) + 4 * item19 * n + 16 * n * (m / 16) + 16 * group4 + item22 + 2 * n] = t10;
                int item23 = (int)get_local_id(0);
                const double t11 = ((xs[group3 * (m % 16) + 16 * group4 * m + item23 * m + 4 * item19 + 16 * (m / 16) + 3] * 2.0) - ys[group3 * n * (m % 16) + 4 * item19 * n + 16 * n * (m / 16) + 16 * group4 + item23 + 3 * n]);
                result[group3 * n * (m % 16) + 4 * item19 * n + 16 * n * (m / 16) + 16 * group4 + item23 + 3 * n] = t11;
            }
            int item24 = (int)get_local_id(1);
            if (item24 < 1) {
                for (int i0 = 0; i0 < (m % 4); ++i0) {
                    int item25 = (int)get_local_id(0);
                    const double t12 = ((xs[group3 * (m % 16) + 16 * group4 * m + item24 * (m % 4) + item25 * m + i0 + 4 * (m / 4)] * 2.0) - ys[group3 * n * (m % 16) + item24 * n * (m % 4) + i0 * n + 4 * n * (m / 4) + 16 * group4 + item25]);
                    result[group3 * n * (m % 16) + item24 * n * (m % 4) + i0 * n + 4 * n * (m / 4) + 16 * group4 + item25] = t12;
                }
            }
        }
        int group5 = (int)get_group_id(0);
        if (group5 < 1) {
            int item26 = (int)get_local_id(1);
            if (item26 < (((m / 4)) % 4)) {
                int item27 = (int)get_local_id(0);
                if (item27 < (n % 16)) {
                    const double t13 = (xs[group5 * m * (n % 16) + group3 * (m % 16) + item27 * m + 16 * m * (n / 16) + 4 * item26 + 16 * (m / 16)] * 2.0);
                    const double t14 = (t13 - ys[group3 * n * (m % 16) + group5 * (n % 16) + 4 * item26 * n + 16 * n * (m / 16) + item27 + 16 * (n / 16)]);
                    result[group3 * n * (m % 16) + group5 * (n % 16) + 4 * item26 * n + 16 * n * (m / 16) + item27 + 16 * (n / 16)] = t14;
                }
                int item28 = (int)get_local_id(0);
                if (item28 < (n % 16)) {
                    const double t15 = (xs[group5 * m * (n % 16) + group3 * (m % 16) + item28 * m + 16 * m * (n / 16) + 4 * item26 + 16 * (m / 16) + 1] * 2.0);
                    const double t16 = (t15 - ys[group3 * n * (m % 16) + group5 * (n % 16) + 4 * item26 * n + 16 * n * (m / 16) + item28 + n + 16 * (n / 16)]);
                    result[group3 * n * (m % 16) + group5 * (n % 16) + 4 * item26 * n + 16 * n * (m / 16) + item28 + n + 16 * (n / 16)] = t16;
                }
                int item29 = (int)get_local_id(0);
                if (item29 < (n % 16)) {
                    const double t17 = (xs[group5 * m * (n % 16) + group3 * (m % 16) + item29 * m + 16 * m * (n / 16) + 4 * item26 + 16 * (m / 16) + 2] * 2.0);
                    const double t18 = (t17 - ys[group3 * n * (m % 16) + group5 * (n % 16) + 4 * item26 * n + 16 * n * (m / 16) + item29 + 2 * n + 16 * (n / 16)]);
                    result[group3 * n * (m % 16) + group5 * (n % 16) + 4 * item26 * n + 16 * n * (m / 16) + item29 + 2 * n + 16 * (n / 16)] = t18;
                }
                int item30 = (int)get_local_id(0);
                if (item30 < (n % 16)) {
                    const double t19 = (xs[group5 * m * (n % 16) + group3 * (m % 16) + item30 * m + 16 * m * (n / 16) + 4 * item26 + 16 * (m / 16) + 3] * 2.0);
                    const double t20 = (t19 - ys[group3 * n * (m % 16) + group5 * (n % 16) + 4 * item26 * n + 16 * n * (m / 16) + item30 + 3 * n + 16 * (n / 16)]);
                    result[group3 * n * (m % 16) + group5 * (n % 16) + 4 * item26 * n + 16 * n * (m / 16) + item30 + 3 * n + 16 * (n / 16)] = t20;
                }
            }
            int item31 = (int)get_local_id(1);
            if (item31 < 1) {
                for (int i1 = 0; i1 < (m % 4); ++i1) {
                    int item32 = (int)get_local_id(0);
                    if (item32 < (n % 16)) {
                        const double t21 = (xs[group5 * m * (n % 16) + group3 * (m % 16) + item31 * (m % 4) + item32 * m + 16 * m * (n / 16) + i1 + 4 * (m / 4)] * 2.0);
                        const double t22 = (t21 - ys[group3 * n * (m % 16) + item31 * n * (m % 4) + group5 * (n % 16) + i1 * n + 4 * n * (m / 4) + item32 + 16 * (n / 16)]);
                        result[group3 * n * (m % 16) + item31 * n * (m % 4) + group5 * (n % 16) + i1 * n + 4 * n * (m / 4) + item32 + 16 * (n / 16)] = t22;
                    }
                }
            }
        }
    }
}
