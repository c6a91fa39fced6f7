//! Tables of phrases in other languages than English, and a second list of phrases, with the days that they mean on Thursday,
//! 2026-11-26.

use super::phrases::check_all;

const ZONE: &str = "Europe/Berlin";

#[test]
fn german_and_dutch_phrases() {
    check_all(
        ZONE,
        &[
            ("de", "Was haben wir am Wochenende gemacht?", "2026-11-21..2026-11-22"),
            ("de", "vorletztes Wochenende", "2026-11-14..2026-11-15"),
            ("de", "Was habe ich am 2. gekauft?", "2026-11-02..2026-11-02"),
            ("de", "Was war am 2. Spieltag?", ""),
            ("de", "im 1. Halbjahr", "2026-01-01..2026-06-30"),
            ("de", "in der ersten Hälfte von 2024", "2024-01-01..2024-06-30"),
            ("de", "im 3. Quartal letzten Jahres", "2025-07-01..2025-09-30"),
            ("de", "im März letzten Jahres", "2025-03-01..2025-03-31"),
            ("de", "letztes Jahr um diese Zeit", "2025-11-19..2025-12-03"),
            ("de", "Was hast du neulich gesagt?", "2026-11-19..2026-11-25"),
            ("de", "am 5.12.2025", "2025-12-05..2025-12-05"),
            ("de", "am 5.3. war ich krank", "2026-03-05..2026-03-05"),
            ("de", "in der Woche vom 3. März", "2026-03-02..2026-03-08"),
            ("de", "Anfang dieses Jahres", "2026-01-01..2026-05-01"),
            ("de", "Anfang Mai", "2026-05-01..2026-05-10"),
            ("de", "zwischen März und Juni", "2026-03-01..2026-06-30"),
            ("de", "Wo wohnte ich in den Neunzigern?", "1990-01-01..1999-12-31"),
            ("de", "in den 90er Jahren", "1990-01-01..1999-12-31"),
            ("de", "seit Dienstag", "2026-11-24.."),
            ("de", "bis Ostern", "..2026-04-06"),
            ("de", "Was hat August über das Auto gesagt?", ""),
            ("de", "Habe ich 2001 Schritte gemacht?", ""),
            ("de", "Das kostete 1984 Euro", ""),
            ("de", "Was habe ich 2023 gekauft?", "2023-01-01..2023-12-31"),
            ("de", "meine Reise 2024", "2024-01-01..2024-12-31"),
            ("nl", "Wat deden we in het weekend?", "2026-11-21..2026-11-22"),
            ("nl", "vorig weekend", "2026-11-21..2026-11-22"),
            ("nl", "vorig jaar in maart", "2025-03-01..2025-03-31"),
            ("nl", "in de eerste helft van 2024", "2024-01-01..2024-06-30"),
            ("nl", "vorig jaar rond deze tijd", "2025-11-19..2025-12-03"),
            ("nl", "Wat kocht ik op de 2e?", "2026-11-02..2026-11-02"),
            ("nl", "in de jaren negentig", "1990-01-01..1999-12-31"),
            ("nl", "eerder dit jaar", "2026-01-01..2026-11-26"),
            ("nl", "op 5-12-2025", "2025-12-05..2025-12-05"),
            ("nl", "tussen maart en juni", "2026-03-01..2026-06-30"),
            ("nl", "tot Pasen", "..2026-04-06"),
        ],
    );
}

#[test]
fn french_and_italian_phrases() {
    check_all(
        ZONE,
        &[
            ("fr", "Qu'avons-nous fait le week-end dernier ?", "2026-11-21..2026-11-22"),
            ("fr", "Où étais-je ce week-end ?", "2026-11-28..2026-11-29"),
            ("fr", "l'avant-dernier week-end", "2026-11-14..2026-11-15"),
            ("fr", "Qu'est-ce que j'ai acheté le 2 ?", "2026-11-02..2026-11-02"),
            ("fr", "dans la première moitié de 2024", "2024-01-01..2024-06-30"),
            ("fr", "au T3 de l'année dernière", "2025-07-01..2025-09-30"),
            ("fr", "l'an dernier à la même époque", "2025-11-19..2025-12-03"),
            ("fr", "Qu'as-tu dit l'autre jour ?", "2026-11-19..2026-11-25"),
            ("fr", "le 5/12/2025", "2025-12-05..2025-12-05"),
            ("fr", "la semaine du 3 mars", "2026-03-02..2026-03-08"),
            ("fr", "plus tôt cette année", "2026-01-01..2026-11-26"),
            ("fr", "début mai", "2026-05-01..2026-05-10"),
            ("fr", "entre mars et juin", "2026-03-01..2026-06-30"),
            ("fr", "Où habitais-je dans les années 90 ?", "1990-01-01..1999-12-31"),
            ("fr", "depuis mardi", "2026-11-24.."),
            ("fr", "jusqu'à Pâques", "..2026-04-06"),
            ("fr", "J'ai fait 2001 pas", ""),
            ("fr", "Ai-je lu 1984 de George Orwell ?", ""),
            ("it", "Cosa abbiamo fatto nel fine settimana?", "2026-11-21..2026-11-22"),
            ("it", "lo scorso weekend", "2026-11-21..2026-11-22"),
            ("it", "Che cosa ho comprato il 2?", "2026-11-02..2026-11-02"),
            ("it", "nella prima metà del 2024", "2024-01-01..2024-06-30"),
            ("it", "a marzo dell'anno scorso", "2025-03-01..2025-03-31"),
            ("it", "l'anno scorso in questo periodo", "2025-11-19..2025-12-03"),
            ("it", "Cosa hai detto l'altro giorno?", "2026-11-19..2026-11-25"),
            ("it", "il 5/12/2025", "2025-12-05..2025-12-05"),
            ("it", "all'inizio di maggio", "2026-05-01..2026-05-10"),
            ("it", "negli anni novanta", "1990-01-01..1999-12-31"),
            ("it", "tra marzo e giugno", "2026-03-01..2026-06-30"),
            ("it", "da martedì", "2026-11-24.."),
            ("it", "fino a Pasqua", "..2026-04-06"),
        ],
    );
}

#[test]
fn spanish_and_portuguese_phrases() {
    check_all(
        ZONE,
        &[
            ("es", "¿Qué hicimos el fin de semana?", "2026-11-21..2026-11-22"),
            ("es", "el fin de semana antepasado", "2026-11-14..2026-11-15"),
            ("es", "¿Qué compré el día 2?", "2026-11-02..2026-11-02"),
            ("es", "en la primera mitad de 2024", "2024-01-01..2024-06-30"),
            ("es", "en marzo del año pasado", "2025-03-01..2025-03-31"),
            ("es", "el tercer trimestre del año pasado", "2025-07-01..2025-09-30"),
            ("es", "el año pasado por estas fechas", "2025-11-19..2025-12-03"),
            ("es", "¿Qué dijiste el otro día?", "2026-11-19..2026-11-25"),
            ("es", "el 5/12/2025", "2025-12-05..2025-12-05"),
            ("es", "la semana del 3 de marzo", "2026-03-02..2026-03-08"),
            ("es", "a principios de mayo", "2026-05-01..2026-05-10"),
            ("es", "¿Dónde vivía en los noventa?", "1990-01-01..1999-12-31"),
            ("es", "en los años 90", "1990-01-01..1999-12-31"),
            ("es", "desde el martes", "2026-11-24.."),
            ("es", "hasta Pascua", "..2026-04-06"),
            ("es", "¿Qué dijo Julio sobre el coche?", ""),
            ("es", "¿Qué dijo Julio en julio?", "2026-07-01..2026-07-31"),
            ("es", "¿Leí 1984 de Orwell?", ""),
            ("pt", "O que fizemos no fim de semana?", "2026-11-21..2026-11-22"),
            ("pt", "no fim de semana passado", "2026-11-21..2026-11-22"),
            ("pt", "O que comprei no dia 2?", "2026-11-02..2026-11-02"),
            ("pt", "na primeira metade de 2024", "2024-01-01..2024-06-30"),
            ("pt", "no primeiro semestre", "2026-01-01..2026-06-30"),
            ("pt", "em março do ano passado", "2025-03-01..2025-03-31"),
            ("pt", "no ano passado por esta altura", "2025-11-19..2025-12-03"),
            ("pt", "O que disseste no outro dia?", "2026-11-19..2026-11-25"),
            ("pt", "em 5/12/2025", "2025-12-05..2025-12-05"),
            ("pt", "no início de maio", "2026-05-01..2026-05-10"),
            ("pt", "entre março e junho", "2026-03-01..2026-06-30"),
            ("pt", "nos anos 90", "1990-01-01..1999-12-31"),
            ("pt", "desde terça-feira", "2026-11-24.."),
            ("pt", "até a Páscoa", "..2026-04-06"),
        ],
    );
}

#[test]
fn chinese_phrases() {
    check_all(
        ZONE,
        &[
            ("zh", "周末我们做了什么？", "2026-11-21..2026-11-22"),
            ("zh", "上上周末", "2026-11-14..2026-11-15"),
            ("zh", "2号我买了什么？", "2026-11-02..2026-11-02"),
            ("zh", "我坐2号线", ""),
            ("zh", "2024年上半年", "2024-01-01..2024-06-30"),
            ("zh", "去年第三季度", "2025-07-01..2025-09-30"),
            ("zh", "去年这个时候", "2025-11-19..2025-12-03"),
            ("zh", "前几天你说了什么？", "2026-11-19..2026-11-25"),
            ("zh", "2025年12月5日", "2025-12-05..2025-12-05"),
            ("zh", "今年早些时候", "2026-01-01..2026-11-26"),
            ("zh", "五月初", "2026-05-01..2026-05-10"),
            ("zh", "三月到六月", "2026-03-01..2026-06-30"),
            ("zh", "九十年代我住在哪里？", "1990-01-01..1999-12-31"),
            ("zh", "自从周二", "2026-11-24.."),
            ("zh", "我走了2001步", ""),
            ("zh", "五分钟后", ""),
        ],
    );
}

#[test]
fn second_list_of_phrases() {
    check_all(
        ZONE,
        &[
            ("en", "What did I eat on Sunday the 22nd?", "2026-11-22..2026-11-22"),
            ("en", "since the 1st", "2026-11-01.."),
            ("en", "in the second half of August", "2026-08-16..2026-08-31"),
            ("en", "over the last two weekends", "2026-11-12..2026-11-26"),
            ("en", "in June two years ago", "2024-06-01..2024-06-30"),
            ("en", "Who is April Ludgate?", ""),
            ("en", "Did I see Ocean's Eleven or Apollo 13?", ""),
            ("en", "my Windows 2000 machine", ""),
            ("en", "in the 1960s", "1960-01-01..1969-12-31"),
            ("en", "earlier this month", "2026-11-01..2026-11-26"),
            ("de", "im Sommer letzten Jahres", "2025-06-01..2025-08-31"),
            ("de", "in den Achtzigern", "1980-01-01..1989-12-31"),
            ("de", "seit dem 1.", "2026-11-01.."),
            ("fr", "au deuxième semestre de l'année dernière", "2025-07-01..2025-12-31"),
            ("fr", "Julie et Avril sont venues", ""),
            ("fr", "pendant le week-end", "2026-11-21..2026-11-22"),
            ("es", "en Navidad del año pasado", "2025-12-24..2025-12-26"),
            ("es", "en los años ochenta", "1980-01-01..1989-12-31"),
            ("pt", "no segundo semestre de 2025", "2025-07-01..2025-12-31"),
            ("pt", "no último fim de semana", "2026-11-21..2026-11-22"),
            ("it", "nel primo semestre", "2026-01-01..2026-06-30"),
            ("it", "l'estate dell'anno scorso", "2025-06-01..2025-08-31"),
            ("nl", "in de zomer van vorig jaar", "2025-06-01..2025-08-31"),
            ("nl", "in het tweede kwartaal", "2026-04-01..2026-06-30"),
            ("zh", "上世纪八十年代", "1980-01-01..1989-12-31"),
            ("zh", "这个周末", "2026-11-28..2026-11-29"),
        ],
    );
}
