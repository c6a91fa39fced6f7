//! Simple statements in German, French and Spanish. The messages are by Ann, from Wednesday, 10 May 2023, at noon.

use super::check;

#[test]
fn german() {
    check("Ich wohne in Köln.", &["Ann lives_in Cologne"]);
    check(
        "Hallo! Ich wohne seit 2019 in Bern und arbeite bei Siemens.",
        &["Ann lives_in Bern from 2019-01-01", "Ann works_at Siemens"],
    );
    check("Ich bin letzten Monat nach Wien gezogen.", &["UPDATE Ann lives_in Vienna from 2023-04-01"]);
    check("Gestern bin ich nach Leipzig gezogen!", &["UPDATE Ann lives_in Leipzig from 2023-05-09"]);
    check("Ich wohne nicht mehr in Bern.", &["DELETE Ann lives_in Bern"]);
    check("Ich arbeite als Lehrerin.", &["Ann works_as teacher"]);
    check("Ich bin Ärztin.", &["Ann works_as doctor"]);
    check("Ich habe am Freitag bei Siemens gekündigt.", &["DELETE Ann works_at Siemens from 2023-05-05"]);
    check("Ich studiere Medizin.", &["Ann studies medicine"]);
    check("Meine Schwester heißt Eva.", &["Ann has_sister Eva"]);
    check("Ich bin mit Tom verheiratet.", &["Ann married_to Tom", "UPDATE Ann marital_status married"]);
    check("Wir haben zwei Kinder.", &["Ann has_children two kids"]);
    check("Ich habe einen Hund, der Rex heißt.", &["Ann has_pet Rex {kind: dog}"]);
    check("Meine Schwester wohnt in Bern.", &["Ann's sister lives_in Bern"]);
    check("Mein Vater ist Bäcker.", &["Ann's father works_as baker"]);
    check("Unsere Tochter ist 6 Jahre alt.", &["UPDATE Ann's daughter age 6"]);
    check("Meine Schwester Eva wohnt in Bern.", &["Ann has_sister Eva", "Eva lives_in Bern"]);
    check("Mein Bruder Karl arbeitet bei Siemens.", &["Ann has_brother Karl", "Karl works_at Siemens"]);
    check("Ich nehme jeden Morgen Ramipril.", &["Ann takes Ramipril"]);
    check("Ich vertrage keine Milch.", &["Ann does_not_eat milk"]);
    check("Mein Hund heißt Rex.", &["Ann has_pet Rex {kind: dog}"]);
    check("Unsere Katze Mimi ist gestern gestorben.", &["DELETE Ann has_pet Mimi from 2023-05-09"]);
    check("Ich bin allergisch gegen Erdnüsse.", &["Ann allergic_to peanuts"]);
    check("Ich bin Vegetarierin.", &["Ann diet vegetarian"]);
    check("Ich esse kein Schweinefleisch.", &["Ann does_not_eat pork"]);
    check("Ich spreche Französisch.", &["Ann speaks French"]);
    check("Ich spiele Klavier.", &["Ann plays piano"]);
    check("Ich fliege am Freitag nach Lissabon.", &["Ann plans going to Lisbon {when: 2023-05-12}"]);
    check("Ich bin 34 Jahre alt.", &["UPDATE Ann age 34"]);
    check("Seit 2019 wohne ich in Bern.", &["Ann lives_in Bern from 2019-01-01"]);
    check("Ich spreche Deutsch, Englisch und ein bisschen Türkisch.", &["Ann speaks German", "Ann speaks English"]);
    check(
        "Wir haben zwei Töchter, Anna und Eva, und wohnen in Bern.",
        &["Ann has_daughter Anna", "Ann has_daughter Eva", "Ann lives_in Bern"],
    );
}

#[test]
fn french() {
    check("J'habite à Lyon.", &["Ann lives_in Lyon"]);
    check(
        "J’habite à Genève depuis 2019 et je travaille chez Nestlé.",
        &["Ann lives_in Geneva from 2019-01-01", "Ann works_at Nestlé"],
    );
    check("J'ai déménagé à Bruxelles le mois dernier.", &["UPDATE Ann lives_in Brussels from 2023-04-01"]);
    check("Je n'habite plus à Lyon.", &["DELETE Ann lives_in Lyon"]);
    check("Je suis infirmière.", &["Ann works_as nurse"]);
    check("J'ai quitté mon travail hier.", &["DELETE Ann works_at  from 2023-05-09"]);
    check("Ma sœur s'appelle Claire.", &["Ann has_sister Claire"]);
    check("Ma sœur Claire habite à Lyon.", &["Ann has_sister Claire", "Claire lives_in Lyon"]);
    check("Je prends du metformine le soir.", &["Ann takes metformine"]);
    check("J'ai un chat qui s'appelle Félix.", &["Ann has_pet Félix {kind: cat}"]);
    check("J'ai deux enfants.", &["Ann has_children two kids"]);
    check("Je suis allergique aux arachides.", &["Ann allergic_to peanuts"]);
    check("Je suis végétarienne.", &["Ann diet vegetarian"]);
    check("Je ne mange pas de porc.", &["Ann does_not_eat pork"]);
    check("Ma sœur habite à Lyon.", &["Ann's sister lives_in Lyon"]);
    check("Mon père est médecin.", &["Ann's father works_as doctor"]);
    check("Notre fille a 6 ans.", &["UPDATE Ann's daughter age 6"]);
    check("Je parle allemand.", &["Ann speaks German"]);
    check("Je joue du piano.", &["Ann plays piano"]);
    check("Mon anniversaire est le 5 mai.", &["UPDATE Ann has_birthday 5 May"]);
}

#[test]
fn spanish() {
    check("Mi madre es enfermera.", &["Ann's mother works_as nurse"]);
    check("Nuestro hijo tiene 6 años.", &["UPDATE Ann's son age 6"]);
    check("Mi hermana Lucía vive en Sevilla.", &["Ann has_sister Lucía", "Lucía lives_in Seville"]);
    check("Tomo omeprazol todas las mañanas.", &["Ann takes omeprazol"]);
    check("Vivo en Sevilla.", &["Ann lives_in Seville"]);
    check(
        "Vivo en Madrid desde 2019 y trabajo en Telefónica.",
        &["Ann lives_in Madrid from 2019-01-01", "Ann works_at Telefónica"],
    );
    check("Me mudé a Lisboa en marzo.", &["UPDATE Ann lives_in Lisbon from 2023-03-01"]);
    check("Ya no vivo en Madrid.", &["DELETE Ann lives_in Madrid"]);
    check("Trabajo como profesora.", &["Ann works_as teacher"]);
    check("Soy abogada.", &["Ann works_as lawyer"]);
    check("Mi hermana se llama Lucía.", &["Ann has_sister Lucía"]);
    check("Estoy casada con Pablo.", &["Ann married_to Pablo", "UPDATE Ann marital_status married"]);
    check("Tengo un perro que se llama Rex.", &["Ann has_pet Rex {kind: dog}"]);
    check("Tengo dos hijos.", &["Ann has_children two kids"]);
    check("Soy alérgica a los cacahuetes.", &["Ann allergic_to peanuts"]);
    check("Soy vegana.", &["Ann diet vegan"]);
    check("No como carne.", &["Ann does_not_eat meat"]);
    check("Hablo inglés.", &["Ann speaks English"]);
    check("Toco la guitarra.", &["Ann plays guitar"]);
}

#[test]
fn other_foreign_sentences_give_no_facts() {
    for text in [
        "Ich habe zwei Fragen, Anna und Eva.",
        "Ich mag Anna und Eva.",
        "Hablo con Ana, Luis y Eva.",
        "J'aime Paris, Lyon et Nice.",
        "Ich arbeite bei Nacht.",
        "Ich arbeite bei Regen.",
        "Ich wohne in einer WG.",
        "Wohne ich in Bern?",
        "Wenn ich in Bern wohne, bin ich froh.",
        "Er sagt: Ich wohne in Bern.",
        "Übersetze ins Englische. Ich wohne in Bern.",
        "Ich bin müde.",
        "Ich bin im Garten.",
        "Ich habe einen Termin.",
        "Ich habe eine Idee.",
        "Ich spiele nur.",
        "Ich liebe dich.",
        "Ich fliege vielleicht nach Rom.",
        "Ich hatte einen Hund.",
        "Mein Chef ist Weltklasse.",
        "Meine Meinung ist Nebensache.",
        "Stell dir vor. Ich wohne in Bern.",
        "J'habite chez ma mère.",
        "Je travaille chez moi.",
        "Je suis fatiguée.",
        "Je suis en retard.",
        "J'ai un problème.",
        "J'ai deux minutes.",
        "Si j'habite à Lyon un jour, je serai contente.",
        "Traduis en anglais. J'habite à Lyon.",
        "Ma sœur habite chez moi.",
        "Mon frère est fatigué.",
        "Mi hermana es feliz.",
        "J'avais un chien.",
        "Vivo en una casa.",
        "Trabajo en casa.",
        "Trabajo en Navidad.",
        "Trabajo en Madrid.",
        "Soy feliz.",
        "Tengo un problema.",
        "Quiero vivir en Madrid.",
        "Traduce al inglés. Vivo en Madrid.",
        "Tenía un perro.",
        "Me llamo la atención.",
    ] {
        check(text, &[]);
    }
}
