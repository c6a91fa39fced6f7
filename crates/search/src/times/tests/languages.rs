//! Tests of the times found in questions of several languages that are asked on Thursday, 2026-11-26.

use super::shown;
use crate::times::{asks_for_a_period, understand};

#[track_caller]
fn check(language: &str, text: &str, expect: &[&str]) {
    assert_eq!(shown(language, text, "2026-11-26"), expect, "{text:?}");
}

#[test]
fn chinese_days_and_weeks() {
    let check = |text, expect: &str| check("zh", text, &[expect]);
    check("大前天", "大前天=2026-11-23..2026-11-23");
    check("前天晚上", "前天晚上=2026-11-24..2026-11-24");
    check("昨晚我在哪里？", "昨晚=2026-11-25..2026-11-25");
    check("今天早上吃了什么", "今天早上=2026-11-26..2026-11-26");
    check("三天前", "三天前=2026-11-23..2026-11-23");
    check("十天前的会议", "十天前=2026-11-16..2026-11-16");
    check("几天前买的书", "几天前=2026-11-23..2026-11-23");
    check("最近三天", "最近三天=2026-11-23..2026-11-26");
    check("前三天", "前三天=2026-11-23..2026-11-26");
    check("上上周", "上上周=2026-11-09..2026-11-15");
    check("上上周二", "上上周二=2026-11-10..2026-11-10");
    check("两个星期前", "两个星期前=2026-11-09..2026-11-15");
    check("半个月前", "半个月前=2026-11-09..2026-11-15");
    check("上周末去了哪里", "上周末=2026-11-21..2026-11-22");
    check("上個禮拜五", "上個禮拜五=2026-11-20..2026-11-20");
    check("周一到周三", "周一到周三=2026-11-23..2026-11-25");
}

#[test]
fn chinese_months_and_parts_of_years() {
    let check = |text, expect: &str| check("zh", text, &[expect]);
    check("上上个月", "上上个月=2026-09-01..2026-09-30");
    check("半年前我住在哪里", "半年前=2026-05-01..2026-05-31");
    check("过去半年", "过去半年=2026-05-26..2026-11-26");
    check("三个月以前", "三个月以前=2026-08-01..2026-08-31");
    check("前年六月", "前年六月=2024-06-01..2024-06-30");
    check("今年三月", "今年三月=2026-03-01..2026-03-31");
    check("去年三月", "去年三月=2025-03-01..2025-03-31");
    check("去年的十二月份", "去年的十二月份=2025-12-01..2025-12-31");
    check("去年5月3日", "去年5月3日=2025-05-03..2025-05-03");
    check("明年三月", "明年三月=2027-03-01..2027-03-31");
    check("二〇二五年三月", "二〇二五年三月=2025-03-01..2025-03-31");
    check("2026/10/14", "2026/10/14=2026-10-14..2026-10-14");
    check("第二季度", "第二季度=2026-04-01..2026-06-30");
    check("今年第二季度", "今年第二季度=2026-04-01..2026-06-30");
    check("2025年第三个季度", "2025年第三个季度=2025-07-01..2025-09-30");
    check("上半年", "上半年=2026-01-01..2026-06-30");
    check("去年下半年", "去年下半年=2025-07-01..2025-12-31");
    check("年初", "年初=2026-01-01..2026-03-31");
    check("年底", "年底=2026-10-01..2026-12-31");
    check("去年底", "去年底=2025-10-01..2025-12-31");
    check("十月中旬", "十月中旬=2026-10-11..2026-10-20");
    check("上个月底", "上个月底=2026-10-21..2026-10-31");
    check("月初", "月初=2026-11-01..2026-11-10");
    check("10月10日到20日", "10月10日到20日=2026-10-10..2026-10-20");
    check("2024年3月到5月", "2024年3月到5月=2024-03-01..2024-05-31");
    check("国庆节", "国庆节=2026-10-01..2026-10-07");
    check("春节", "春节=2026-02-16..2026-02-23");
    check("元宵节", "元宵节=2026-03-03..2026-03-03");
    check("清明", "清明=2026-04-04..2026-04-06");
    check("五一", "五一=2026-05-01..2026-05-05");
    check("端午", "端午=2026-06-18..2026-06-20");
    check("中秋", "中秋=2026-09-24..2026-09-26");
    check("去年中秋", "去年中秋=2025-10-05..2025-10-07");
    check("暑假", "暑假=2026-07-01..2026-08-31");
    check("去年春节", "去年春节=2025-01-28..2025-02-04");
    check("前年夏天", "前年夏天=2024-06-01..2024-08-31");
}

#[test]
fn chinese_characters_of_times_inside_other_words_are_no_times() {
    check("zh", "目前天气怎么样，晚上周到的服务", &[]);
    check("zh", "大后天要做什么", &[]);
    check("zh", "明年的计划", &[]);
    check("zh", "到底是谁", &[]);
}

#[test]
fn chinese_questions_about_a_period() {
    let is_about_a_period = |text: &str| {
        let found = understand(text, "zh", "Asia/Shanghai", "2026-11-26".parse().unwrap());
        found.times.len() == 1 && asks_for_a_period(&found.rest)
    };
    for text in [
        "上个月我做了什么",
        "去年发生了什么",
        "上个月发生了什么？",
        "总结一下2025年",
        "上周过得怎么样？",
        "回顾一下去年",
        "概括上半年发生的事情",
        "请帮我总结第二季度",
        "我们上周都忙了些什么",
        "上個月發生了什麼",
        "今年夏天怎么样",
    ] {
        assert!(is_about_a_period(text), "{text:?}");
    }
    for text in ["上个月我在哪里吃饭", "去年我的生日怎么样", "上周我买了什么", "昨天天气怎么样"]
    {
        assert!(!is_about_a_period(text), "{text:?}");
    }
}

#[test]
fn english() {
    let check = |text, expect: &str| check("en", text, &[expect]);
    check("on New Year's Eve 2024", "New Year's Eve 2024=2024-12-31..2024-12-31");
    check("What did we do on New Year’s Eve?", "New Year’s Eve=2025-12-31..2025-12-31");
    check("New Year's Day 2025", "New Year's Day 2025=2025-01-01..2025-01-01");
    check("a fortnight ago", "a fortnight ago=2026-11-09..2026-11-15");
    check("in the last fortnight", "last fortnight=2026-11-12..2026-11-26");
    check("on 14/10/2026", "14/10/2026=2026-10-14..2026-10-14");
    check("on 10/14/2026", "10/14/2026=2026-10-14..2026-10-14");
    check("on 2026/10/14", "2026/10/14=2026-10-14..2026-10-14");
    check("at the beginning of the year", "beginning of the year=2026-01-01..2026-03-31");
    check("at the end of last month", "end of last month=2026-10-21..2026-10-31");
    check("on the 14th of October", "14th of October=2026-10-14..2026-10-14");
    check("between 10 October and 20 October", "10 October and 20 October=2026-10-10..2026-10-20");
    check("between 10 and 20 October", "10 and 20 October=2026-10-10..2026-10-20");
    check("Did it end last week?", "last week=2026-11-16..2026-11-22");
}

#[test]
fn english_without_a_time() {
    check("en", "on 3/4/2026, in my early years, at the end of the day, a 1/2/3 score", &[]);
}

#[test]
fn german() {
    let check = |text, expect: &str| check("de", text, &[expect]);
    check("Was war vorvorgestern?", "vorvorgestern=2026-11-23..2026-11-23");
    check("Silvester 2024", "Silvester 2024=2024-12-31..2024-12-31");
    check("an Heiligabend", "Heiligabend=2025-12-24..2025-12-26");
    check("am 3/4/2026", "3/4/2026=2026-04-03..2026-04-03");
    check("zu Anfang des Jahres", "Anfang des Jahres=2026-01-01..2026-03-31");
    check("am Ende der Woche", "Ende der Woche=2026-11-20..2026-11-22");
    check("im ersten Halbjahr 2025", "ersten Halbjahr 2025=2025-01-01..2025-06-30");
    check("im zweiten Quartal", "zweiten Quartal=2026-04-01..2026-06-30");
    check("vor vierzehn Tagen", "vor vierzehn Tagen=2026-11-12..2026-11-12");
    check("vorletzten Monat", "vorletzten Monat=2026-09-01..2026-09-30");
    check("zwischen dem 10. und dem 20. Oktober", "10 und dem 20 Oktober=2026-10-10..2026-10-20");
    check("Ende Oktober", "Ende Oktober=2026-10-21..2026-10-31");
}

#[test]
fn spanish() {
    let check = |text, expect: &str| check("es", text, &[expect]);
    check("a principios de año", "principios de año=2026-01-01..2026-03-31");
    check("a finales del mes pasado", "finales del mes pasado=2026-10-21..2026-10-31");
    check("en Nochevieja de 2024", "Nochevieja de 2024=2024-12-31..2024-12-31");
    check("hace quince días", "hace quince días=2026-11-11..2026-11-11");
    check("hace una quincena", "hace una quincena=2026-11-09..2026-11-15");
    check("el 14/10/2026", "14/10/2026=2026-10-14..2026-10-14");
    check("en el primer semestre de 2025", "primer semestre de 2025=2025-01-01..2025-06-30");
    check("anteayer", "anteayer=2026-11-24..2026-11-24");
    check("entre el 10 de octubre y el 20 de octubre", "10 de octubre y el 20 de octubre=2026-10-10..2026-10-20");
    check("el verano pasado", "verano pasado=2026-06-01..2026-08-31");
}

#[test]
fn french() {
    let check = |text, expect: &str| check("fr", text, &[expect]);
    check("au début de l'année", "début de l année=2026-01-01..2026-03-31");
    check("à la fin du mois dernier", "fin du mois dernier=2026-10-21..2026-10-31");
    check("à la Saint-Sylvestre 2024", "Saint-Sylvestre 2024=2024-12-31..2024-12-31");
    check("il y a une quinzaine", "il y a une quinzaine=2026-11-09..2026-11-15");
    check("le 14/10/2026", "14/10/2026=2026-10-14..2026-10-14");
    check("au premier semestre 2025", "premier semestre 2025=2025-01-01..2025-06-30");
    check("avant-hier", "avant-hier=2026-11-24..2026-11-24");
    check("entre le 10 et le 20 octobre", "10 et le 20 octobre=2026-10-10..2026-10-20");
    check("l'hiver dernier", "hiver dernier=2025-12-01..2026-02-28");
    check("le deuxième trimestre", "deuxième trimestre=2026-04-01..2026-06-30");
}
