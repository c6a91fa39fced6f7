//! Tests of the dates that are appended to relative times.

use super::*;

/// Checks a sentence from Wednesday, 4 March 2026.
mod colloquial;

#[track_caller]
fn check(sentence: &str, expect: &str) {
    check_on("2026-03-04", sentence, expect);
}

#[track_caller]
fn check_on(day: &str, sentence: &str, expect: &str) {
    let language = Language::of(&tokens(sentence));
    assert_eq!(resolve(sentence, day.parse().unwrap(), language), expect);
}

#[test]
fn days_weeks_months_and_years_get_dates() {
    check(
        "The ship reached the pier at 3:40 p.m. Wednesday, early.",
        "The ship reached the pier at 3:40 p.m. Wednesday [2026-03-04], early.",
    );
    check(
        "Crews restored power by Monday night, it said.",
        "Crews restored power by Monday night [2026-03-02], it said.",
    );
    check("He asked for the report by Monday.", "He asked for the report by Monday [2026-03-09].");
    check("I sold it yesterday.", "I sold it yesterday [2026-03-03].");
    check("Last night we ate out.", "Last night [2026-03-03] we ate out.");
    check("Today's build broke.", "Today's [2026-03-04] build broke.");
    check("We met the day before yesterday.", "We met the day before yesterday [2026-03-02].");
    check("She comes tomorrow evening, late.", "She comes tomorrow evening [2026-03-05], late.");
    check("I fly next week.", "I fly next week [2026-03-09 to 2026-03-15].");
    check("We moved last month!", "We moved last month [2026-02]!");
    check("He died last year.", "He died last year [2025].");
    check("Sales rose this quarter.", "Sales rose this quarter [2026-Q1].");
    check("We hiked this past weekend.", "We hiked this past weekend [2026-02-28 to 2026-03-01].");
    check("I slept over the weekend", "I slept over the weekend [2026-02-28 to 2026-03-01]");
    check("We will paint over the weekend", "We will paint over the weekend [2026-03-07 to 2026-03-08]");
    check("Last summer I sailed.", "Last summer [2025] I sailed.");
    check("We will sail next summer.", "We will sail next summer [2026].");
    check_on("2025-05-31", "We will sail next summer.", "We will sail next summer [2026].");
    check("Last December it snowed.", "Last December [2025-12] it snowed.");
}

#[test]
fn weekday_of_a_report_is_on_the_side_of_its_verb() {
    // A Friday.
    let check = |sentence: &str, expect: &str| check_on("2025-03-14", sentence, expect);
    check(
        "He survived a no-confidence vote by four votes on Friday.",
        "He survived a no-confidence vote by four votes on Friday [2025-03-14].",
    );
    check("The members vote on Monday.", "The members vote on Monday [2025-03-17].");
    check("The ministry withdrew its suit on Friday.", "The ministry withdrew its suit on Friday [2025-03-14].");
    check(
        "The leaders met in Geneva on Friday and will meet again on Monday.",
        "The leaders met in Geneva on Friday [2025-03-14] and will meet again on Monday [2025-03-17].",
    );
    check("I said I'd drive up on Saturday.", "I said I'd drive up on Saturday [2025-03-15].");
    check("I'd called on Saturday.", "I'd called on Saturday [2025-03-08].");
    check(
        "It asked for documents on Tuesday, which usually means a delay.",
        "It asked for documents on Tuesday [2025-03-11], which usually means a delay.",
    );
    check("We usually meet on Tuesday.", "We usually meet on Tuesday.");
    check(
        "Ilves will go on trial on September 8, a court said on Friday.",
        "Ilves will go on trial on September 8, a court said on Friday [2025-03-14].",
    );
    check("It is on 16 May, a Friday.", "It is on 16 May, a Friday.");
    check("Our day, May 16, falls on Friday.", "Our day, May 16, falls on Friday.");
    check("I work from home and usually swim on Friday.", "I work from home and usually swim on Friday.");
}

#[test]
fn counted_times_get_dates() {
    check("I began two weeks ago.", "I began two weeks ago [2026-02-18].");
    check("It broke 3 days ago", "It broke 3 days ago [2026-03-01]");
    check("We met 10 years ago.", "We met 10 years ago [2016].");
    check("I left a few days ago.", "I left a few days ago [before 2026-03-04].");
    check("He called the other day.", "He called the other day [before 2026-03-04].");
    check("The lease will end in two months.", "The lease will end in two months [2026-05].");
    check("The river rises after 90 mm of rain in a day.", "The river rises after 90 mm of rain in a day.");
    check("I wrote the book in two months.", "I wrote the book in two months.");
    check("They vote for the first time in two years.", "They vote for the first time in two years.");
    check("The coldest March in ten years begins.", "The coldest March in ten years begins.");
    check("I read a lot in the last few weeks.", "I read a lot in the last few weeks [until 2026-03-04].");
}

#[test]
fn months_by_name_get_the_year_that_is_meant_or_none() {
    check("Cosmo got his degree in August.", "Cosmo got his degree in August [2025-08].");
    check("The pump failed in February.", "The pump failed in February [2026-02].");
    check("The rent will rise in January.", "The rent will rise in January [2027-01].");
    check("Her job begins in November.", "Her job begins in November [2026-11].");
    check("Elsie has ballet until June, then chess.", "Elsie has ballet until June [2026-06], then chess.");
    for sentence in [
        "In June 1998 Ulf met Karin in Malmö.",
        "We got married in May.",
        "I will run three races in March.",
        "I got us tickets for a concert in June.",
        "We are moving next year [2027], probably in June.",
        "Sales fell more than expected in January of that year.",
        "It was a painting by June Harris.",
        "She was born in August.",
        "It always rains in November.",
        "They left in May of that year.",
        "It happened on 3 May.",
        "we wed in may",
        "Rents are high in June and July.",
    ] {
        check(sentence, sentence);
    }
}

#[test]
fn weekdays_that_are_counted_get_dates() {
    check("Fair on the first Monday of next month.", "Fair on the first Monday of next month [2026-04-06].");
    check("Opening on the last Friday of this month", "Opening on the last Friday of this month [2026-03-27]");
    check("The first Monday of the month is dull.", "The first Monday of the month is dull.");
    check("The fair was two Sundays ago.", "The fair was two Sundays ago [2026-02-22].");
    check(
        "The talk was moved from Thursday to Friday.",
        "The talk was moved from Thursday [2026-03-05] to Friday [2026-03-06].",
    );
    for sentence in ["The shop opens from Thursday to Friday.", "The class moved from Thursday to Friday."] {
        check(sentence, sentence);
    }
}

#[test]
fn weekday_is_on_the_side_of_its_verb() {
    check("I quit on Friday.", "I quit on Friday [2026-02-27].");
    check("We leave on Friday.", "We leave on Friday [2026-03-06].");
    check("The report is due by Monday.", "The report is due by Monday [2026-03-09].");
    check("Correction to Monday: the FTP box was used.", "Correction to Monday [2026-03-02]: the FTP box was used.");
    check("The launch was moved to Tuesday.", "The launch was moved to Tuesday [2026-03-10].");
    check("Police said on Monday that he will resign.", "Police said on Monday [2026-03-02] that he will resign.");
    check("I saw her last Friday night.", "I saw her last Friday night [2026-02-27].");
    check("Jo rang, coming Saturday.", "Jo rang, coming Saturday [2026-03-07].");
    check("I start next Monday.", "I start next Monday [2026-03-09].");
    check("Ordered a desk, arrives Friday.", "Ordered a desk, arrives Friday [2026-03-06].");
    check("Thousands met on Sunday to protest.", "Thousands met on Sunday [2026-03-01] to protest.");
    check("We met on Wednesday.", "We met on Wednesday [2026-03-04].");
}

#[test]
fn weekday_with_the_day_of_the_month_gets_its_date() {
    check("4.8 goes out Thursday 19th.", "4.8 goes out Thursday 19th [2026-03-19].");
    check("We met Friday the 13th.", "We met Friday the 13th [2026-02-13].");
    check("The upgrade is on Saturday 21st early.", "The upgrade is on Saturday 21st [2026-03-21] early.");
    check("back Fri 13, late", "back Fri 13 [2026-03-13], late");
    check("We switch to Postgres, done by friday 27th", "We switch to Postgres, done by friday 27th [2026-03-27]");
    check("The party is on Friday 27 March.", "The party is on Friday 27 March.");
    check("The party is on Friday 27th of March.", "The party is on Friday 27th of March.");
    // No Friday near has this number.
    check("It was on Friday 24th.", "It was on Friday 24th.");
    check("On Friday 20 people came.", "On Friday [2026-02-27] 20 people came.");
}

#[test]
fn verbs_of_other_clauses_do_not_count() {
    check("ive got an interview thursday", "ive got an interview thursday [2026-03-05]");
    check("No more confusion since Thurs.", "No more confusion since Thurs [2026-02-26].");
    check("verdict friday but he said it is fine", "verdict friday [2026-03-06] but he said it is fine");
    check(
        "This week: tour Fri (packed lunch)",
        "This week [2026-03-02 to 2026-03-08]: tour Fri [2026-03-06] (packed lunch)",
    );
    check("Slab was to be Friday.", "Slab was to be Friday [2026-03-06].");
    check("Bowser hired from Monday.", "Bowser hired from Monday [2026-03-09].");
    check("I was ill from Monday on.", "I was ill from Monday [2026-03-02] on.");
    check("no deploys please, it's wednesday", "no deploys please, it's wednesday [2026-03-04]");
    check("Pan soaking since it is wednesday.", "Pan soaking since it is wednesday [2026-03-04].");
    check("Wednesday waffles.", "Wednesday [2026-03-04] waffles.");
    check("No limp at all. Cancelled Monday.", "No limp at all. Cancelled Monday [2026-03-09].");
    check("No driving till a week on Friday.", "No driving till a week on Friday [2026-03-13].");
    check(
        "They demand that it be withdrawn by noon on Friday.",
        "They demand that it be withdrawn by noon on Friday [2026-03-06].",
    );
    check("He would lose a lot under Monday's deal.", "He would lose a lot under Monday's [2026-03-02] deal.");
    check("Work at the port resumes on Tuesday.", "Work at the port resumes on Tuesday [2026-03-10].");
    check("The big day is Saturday week.", "The big day is Saturday week [2026-03-14].");
    check("moved it to the sunday after", "moved it to the sunday after");
    check(
        "She promised help during a visit on Tuesday that was interrupted.",
        "She promised help during a visit on Tuesday [2026-03-03] that was interrupted.",
    );
}

#[test]
fn names_with_a_weekday_get_no_date() {
    check("Good Friday is a holiday.", "Good Friday is a holiday.");
    check("We saw Sheffield Wednesday lose.", "We saw Sheffield Wednesday lose.");
    check("Shin dressed. Back Thursday", "Shin dressed. Back Thursday [2026-03-05]");
    check(
        "The weather is cold. Dr Anand phones back Mon am",
        "The weather is cold. Dr Anand phones back Mon [2026-03-09] am",
    );
    check("Sat with the cat in the Sun.", "Sat with the cat in the Sun.");
    check("We drove to Sun City.", "We drove to Sun City.");
    check("The wedding is 16 May by the way, Saturday.", "The wedding is 16 May by the way, Saturday.");
    check("The move is a week today.", "The move is a week today [2026-03-11].");
}

#[test]
fn notes_without_capitals_get_dates() {
    check("deploy went out fri, no alerts", "deploy went out fri [2026-02-27], no alerts");
    check("pool exhausted. rolled back. review thursday", "pool exhausted. rolled back. review thursday [2026-03-05]");
    check("dentist moved to tues", "dentist moved to tues [2026-03-10]");
    check(
        "saw the vet on monday; new pills from friday",
        "saw the vet on monday [2026-03-02]; new pills from friday [2026-03-06]",
    );
    for sentence in
        ["i sat down in the sun", "we wed in may", "gym every friday", "open monday to friday", "fridays off"]
    {
        check(sentence, sentence);
    }
}

#[test]
fn other_words_and_dated_times_stay() {
    for sentence in [
        "I run every Friday.",
        "Open Monday to Friday.",
        "It is due on Friday 28 March.",
        "I sold it yesterday [2026-03-03].",
        "We bought it on Black Friday.",
        "That was the last straw.",
        "I met her in May 2024.",
        "The shop is past this corner.",
    ] {
        check(sentence, sentence);
    }
}

#[test]
fn times_in_other_languages_get_dates() {
    check("Ich bin gestern nach Berlin gezogen.", "Ich bin gestern [2026-03-03] nach Berlin gezogen.");
    check("Der Zug ist hier und ich bin da.", "Der Zug ist hier und ich bin da.");
    check("Nächste Woche habe ich die Prüfung.", "Nächste Woche [2026-03-09 to 2026-03-15] habe ich die Prüfung.");
    check("Ich habe vor zwei Wochen gekündigt.", "Ich habe vor zwei Wochen [2026-02-18] gekündigt.");
    check("Guten Morgen, ich bin da.", "Guten Morgen, ich bin da.");
    check("J'ai vendu la maison hier.", "J'ai vendu la maison hier [2026-03-03].");
    check("Ayer firmé el contrato con mi jefe.", "Ayer [2026-03-03] firmé el contrato con mi jefe.");
    check("Fui al mercado por la mañana.", "Fui al mercado por la mañana.");
    check("Ontem comprei a casa com o João.", "Ontem [2026-03-03] comprei a casa com o João.");
    check("Domani ho un esame di guida.", "Domani [2026-03-05] ho un esame di guida.");
    check("Ik heb gisteren het huis verkocht.", "Ik heb gisteren [2026-03-03] het huis verkocht.");
    check("Letzten Freitag war ich bei der Bank.", "Letzten Freitag [2026-02-27] war ich bei der Bank.");
    check("Der Termin ist am nächsten Montag.", "Der Termin ist am nächsten Montag [2026-03-09].");
    check("Nous avons signé vendredi dernier.", "Nous avons signé vendredi dernier [2026-02-27].");
    check("El próximo lunes empiezo en la oficina.", "El próximo lunes [2026-03-09] empiezo en la oficina.");
    check("Das Treffen findet am Montag statt.", "Das Treffen findet am Montag [2026-03-09] statt.");
    check("La rencontre est prévue jeudi.", "La rencontre est prévue jeudi [2026-03-05].");
    check("Ich bin immer am Montag da.", "Ich bin immer am Montag da.");
    check("Volgende vrijdag heb ik een afspraak.", "Volgende vrijdag [2026-03-06] heb ik een afspraak.");
    check("我上个月搬到了柏林。", "我上个月[2026-02]搬到了柏林。");
    check("昨天我去了北京。", "昨天[2026-03-03]我去了北京。");
}

#[test]
fn chinese_weekdays_get_the_date_of_their_week() {
    let check = |sentence, expect| check_on("2025-09-11", sentence, expect);
    check("我下周三出院", "我下周三[2025-09-17]出院");
    check("下周五张伟去云南", "下周五[2025-09-19]张伟去云南");
    check("这周一刘师傅来过", "这周一[2025-09-08]刘师傅来过");
    check("上个星期天我们去爬山了", "上个星期天[2025-09-07]我们去爬山了");
    check("下個禮拜五開會", "下個禮拜五[2025-09-19]開會");
    check("上上周二买的", "上上周二[2025-08-26]买的");
    check("下周一下午开会", "下周一[2025-09-15]下午开会");
    check("本周日下雨，下周三天气好", "本周日[2025-09-14]下雨，下周三[2025-09-17]天气好");
    check("来週の水曜日に会う", "来週の水曜日[2025-09-17]に会う");
    check("这周末休息", "这周末[2025-09-13 to 2025-09-14]休息");
    check("下周一起去北京", "下周[2025-09-15 to 2025-09-21]一起去北京");
    check("这周三次迟到", "这周[2025-09-08 to 2025-09-14]三次迟到");
    check("下周日本队比赛", "下周[2025-09-15 to 2025-09-21]日本队比赛");
    check("晚上周末聚会", "晚上周末聚会");
}

#[test]
fn chinese_counted_times_get_dates() {
    check_on("2026-03-28", "大前天我病了", "大前天[2026-03-25]我病了");
    check("大后天出发", "大后天[2026-03-07]出发");
    check("三周前买了车", "三周前[2026-02-11]买了车");
    check("两个月后结婚", "两个月后[2026-05]结婚");
    check("我们两个月后就要结婚了", "我们两个月后[2026-05]就要结婚了");
    check("十二天之前到的", "十二天之前[2026-02-20]到的");
    check("几天前见过他", "几天前[before 2026-03-04]见过他");
    check("他3年前毕业", "他3年前[2023]毕业");
    for sentence in ["住院两个月后他出院了", "2020年前毕业", "第三天后下雨", "三天前后到", "三月前完成"]
    {
        check(sentence, sentence);
    }
}

#[test]
fn hours_after_midnight_of_last_night_are_on_the_day() {
    let check = |sentence, expect| check_on("2026-03-29", sentence, expect);
    check("Outage last night from 02:10 to 04:35.", "Outage last night [2026-03-29] from 02:10 to 04:35.");
    check("The cat woke me at 3 am last night.", "The cat woke me at 3 am last night [2026-03-29].");
    check("Fire alarm last night at 1:30 a.m.", "Fire alarm last night [2026-03-29] at 1:30 a.m.");
    check("Outage last night from 23:10 to 01:35.", "Outage last night [2026-03-28] from 23:10 to 01:35.");
    check("We talked last night until 2 am.", "We talked last night [2026-03-28] until 2 am.");
    check("We ate at 5:30 last night.", "We ate at 5:30 last night [2026-03-28].");
    check("Last night 3 people came.", "Last night [2026-03-28] 3 people came.");
}

#[test]
fn weekdays_counted_in_weeks_get_one_date() {
    check_on("2026-03-06", "Dentist Friday week.", "Dentist Friday week [2026-03-13].");
    check_on("2026-03-06", "We leave a week on Friday.", "We leave a week on Friday [2026-03-13].");
    check("We leave two weeks on Friday.", "We leave two weeks on Friday [2026-03-20].");
    let check = |sentence, expect| check_on("2026-04-09", sentence, expect);
    check("The party is on Saturday in three weeks.", "The party is on Saturday in three weeks [2026-05-02].");
    check("The party is in three weeks on Saturday.", "The party is in three weeks on Saturday [2026-05-02].");
    check("I met her on Tuesday two weeks ago.", "I met her on Tuesday two weeks ago [2026-03-24].");
    check("I met her on Friday two weeks ago.", "I met her on Friday two weeks ago.");
    check("We met a week ago Friday.", "We met a week ago Friday [2026-03-27].");
}

#[test]
fn times_counted_from_another_time_get_one_date() {
    check("A week ago yesterday it snowed.", "A week ago yesterday [2026-02-24] it snowed.");
    check("A year ago today we met.", "A year ago today [2025-03-04] we met.");
    check("I leave two days after tomorrow.", "I leave two days after tomorrow [2026-03-07].");
    check("I leave the day after next Monday.", "I leave the day after next Monday [2026-03-10].");
    check("He came the day before last Friday.", "He came the day before last Friday [2026-02-26].");
    check("The move is two weeks from Friday.", "The move is two weeks from Friday [2026-03-20].");
    check("The move is a week from tomorrow.", "The move is a week from tomorrow [2026-03-12].");
    check("The move is a month from today.", "The move is a month from today [2026-04].");
    check("We fly the week after next.", "We fly the week after next [2026-03-16 to 2026-03-22].");
    check("I slept badly the night before last.", "I slept badly the night before last [2026-03-02].");
    check("It rains the week after next Monday.", "It rains the week after next Monday.");
    check(
        "It broke a week ago, yesterday it died.",
        "It broke a week ago [2026-02-25], yesterday [2026-03-03] it died.",
    );
    check("We have two days before Friday.", "We have two days before Friday [2026-03-06].");
    check("The shop is shut for two weeks from Monday.", "The shop is shut for two weeks from Monday [2026-03-09].");
    check("The day after Monday's storm we left.", "The day after Monday's [2026-03-02] storm we left.");
}

#[test]
fn plan_told_on_a_past_day_is_after_that_day() {
    check_on(
        "2026-04-09",
        "I told Tara on Monday that I would come on Wednesday.",
        "I told Tara on Monday [2026-04-06] that I would come on Wednesday [2026-04-08].",
    );
    check("He said yesterday he'd call on Friday.", "He said yesterday [2026-03-03] he'd call on Friday [2026-03-06].");
    check(
        "He said yesterday he'd called on Friday.",
        "He said yesterday [2026-03-03] he'd called on Friday [2026-02-27].",
    );
    check("I would come on Friday.", "I would come on Friday [2026-03-06].");
}

#[test]
fn regular_weekdays_get_no_date() {
    check("The Monday meeting moved to Tuesdays.", "The Monday meeting moved to Tuesdays.");
    check("Our Monday call is weekly now.", "Our Monday call is weekly now.");
    check("The Monday meeting was long.", "The Monday [2026-03-02] meeting was long.");
}

#[test]
fn note_without_verb_announces_the_next_weekday() {
    check("Talk Sat", "Talk Sat [2026-03-07]");
    check("Felt ok. Talk Sat", "Felt ok. Talk Sat [2026-03-07]");
    check("Slides done, talk Sat", "Slides done, talk Sat [2026-03-07]");
    check("Slept badly, physics exam on friday", "Slept badly, physics exam on friday [2026-03-06]");
    check("After the talk Saturday, we left.", "After the talk Saturday [2026-02-28], we left.");
    check("Felt ok, lost the game Saturday.", "Felt ok, lost the game Saturday [2026-02-28].");
}

#[test]
fn longer_phrases_in_other_languages_get_one_date() {
    check("Heute in acht Tagen fliegen wir.", "Heute in acht Tagen [2026-03-11] fliegen wir.");
    check("Heute in acht Tagen Zahnarzt", "Heute in acht Tagen [2026-03-11] Zahnarzt");
    check("Wir fliegen heute in einer Woche.", "Wir fliegen heute in einer Woche [2026-03-11].");
    check("Ich war heute vor einem Jahr da.", "Ich war heute vor einem Jahr [2025-03-04] da.");
    check("Ich habe heute Nacht geträumt.", "Ich habe heute Nacht [2026-03-04] geträumt.");
    check("Heute Morgen war ich da.", "Heute Morgen [2026-03-04] war ich da.");
    check("Ich komme morgen früh.", "Ich komme morgen früh [2026-03-05].");
    check("Der Termin ist am Montag in einer Woche.", "Der Termin ist am Montag in einer Woche [2026-03-16].");
    check("Anteayer llovió.", "Anteayer [2026-03-02] llovió.");
    check("El examen es dentro de una semana.", "El examen es dentro de una semana [2026-03-11].");
    check("Lo vi hace tres semanas.", "Lo vi hace tres semanas [2026-02-11].");
    check("Ayer por la tarde firmé con mi jefe.", "Ayer por la tarde [2026-03-03] firmé con mi jefe.");
    check("Nous partons dans deux mois.", "Nous partons dans deux mois [2026-05].");
    check("Je suis arrivé hier soir avec ma sœur.", "Je suis arrivé hier soir [2026-03-03] avec ma sœur.");
}

#[test]
fn weekday_that_is_counted_within_another_time_gets_no_date() {
    for sentence in [
        "First proper Monday of the year, so here we go.",
        "The band plays on the last Friday of the month.",
        "It rained on the Tuesday of that week.",
        "We meet every second Thursday of the month.",
    ] {
        check(sentence, sentence);
    }
}
