//! What carers and patients say in life-threatening situations: each sentence must yield the
//! finding that the danger rules look for.

use lafiya_model::{Age, Sex};

use super::sentences::{found, read};
use crate::ParseContext;

#[track_caller]
fn are_heard(age: Age, sex: Sex, sentences: &[(&str, &str)]) {
    let context = ParseContext {
        age: Some(age),
        sex: Some(sex),
        ..ParseContext::default()
    };
    for (text, id) in sentences {
        let got = found(&read(text, &context));
        assert!(
            got.iter().any(|understood| understood == id),
            "{text}: {got:?}"
        );
    }
}

#[test]
fn danger_signs_of_a_baby_are_recognised() {
    are_heard(
        Age::from_years(0),
        Sex::Male,
        &[
            ("he will not wake up", "s_unconscious"),
            ("she is not waking up", "s_unconscious"),
            ("has not woken up since the fit", "s_unconscious"),
            ("cannot be woken", "s_unconscious"),
            ("my child is unresponsive", "s_unconscious"),
            ("he is not responding when I call him", "s_unconscious"),
            ("baby is not breastfeeding", "s_not_able_to_breastfeed"),
            ("baby refuses the breast", "s_not_able_to_breastfeed"),
            ("baby has stopped sucking", "s_not_able_to_breastfeed"),
            ("baby is too weak to suck", "s_not_able_to_breastfeed"),
            ("not feeding since last night", "s_poor_feeding_in_infant"),
            ("cannot drink or breastfeed", "s_unable_to_drink"),
            ("vomits everything she drinks", "s_vomits_everything"),
            ("cannot keep anything down", "s_persistent_vomiting"),
            ("vomiting everything he eats", "s_vomits_everything"),
            ("he had a fit this morning", "s_convulsion"),
            (
                "jerking of arms and legs and eyes rolled up",
                "s_convulsion",
            ),
            ("she is having a seizure now", "s_convulsion"),
            ("the fit has lasted 15 minutes", "s_convulsion"),
            ("chest is pulling in when he breathes", "s_chest_indrawing"),
            ("ribs sucking in with each breath", "s_chest_indrawing"),
            ("breathing very fast", "s_fast_breathing_for_age"),
            ("his lips are blue", "s_central_cyanosis"),
            ("my newborn is blue", "s_central_cyanosis"),
            ("turning blue", "s_central_cyanosis"),
            ("grunting with each breath", "s_grunting"),
            ("noisy breathing even at rest", "s_stridor_when_calm"),
            ("noisy breathing when breathing in", "s_stridor"),
            ("he is floppy and very weak", "s_floppy_infant"),
            ("very sleepy and hard to wake", "s_lethargy"),
            ("she is just lying there not moving", "s_lethargy"),
            ("eyes are sunken and no tears when crying", "s_sunken_eyes"),
            ("has not passed urine for 12 hours", "s_anuria"),
            ("hands and feet are cold", "s_cold_extremities"),
            ("palms are very pale", "s_pallor"),
            (
                "the soft spot on his head is bulging",
                "s_bulging_fontanelle",
            ),
            ("blood in the stool", "s_blood_mixed_with_stool"),
            ("stiff neck", "s_neck_stiffness"),
            ("high pitched cry", "s_high_pitched_cry"),
            (
                "baby stopped breathing for some seconds",
                "s_apnoea_in_infant",
            ),
            ("purple spots on the skin that do not fade", "s_purpura"),
            ("drank kerosene", "s_kerosene_drunk"),
            ("swallowed a button battery", "s_battery_swallowed"),
            ("swallowed rat poison", "s_rodenticide_ingested"),
            ("took his grandmother's tablets", "s_unknown_tablet_taken"),
            ("choking on a groundnut", "s_choking_episode"),
            (
                "bean stuck in his throat and he is coughing",
                "s_choking_episode",
            ),
            ("pulled hot water on himself", "s_scald_in_child"),
            ("fell from the bed and is vomiting", "s_fall_from_height"),
            ("fell into the well", "s_drowning_event"),
            ("both feet are swollen", "s_oedema_of_both_feet_in_child"),
        ],
    );
}

#[test]
fn danger_signs_of_a_woman_are_recognised() {
    are_heard(
        Age::from_years(26),
        Sex::Female,
        &[
            (
                "I am 9 months pregnant and bleeding",
                "s_vaginal_bleeding_in_late_pregnancy",
            ),
            ("bleeding after delivery", "s_heavy_bleeding_after_delivery"),
            (
                "I delivered yesterday and I am bleeding",
                "p_postpartum_within_6_weeks",
            ),
            ("she delivered this morning", "p_postpartum_within_6_weeks"),
            ("delivered 3 days ago", "p_postpartum_within_6_weeks"),
            ("I had my baby last week", "p_postpartum_within_6_weeks"),
            ("placenta has not come out", "s_retained_placenta_sign"),
            ("baby has stopped moving in my womb", "s_no_fetal_movement"),
            ("water has broken", "s_leaking_liquor"),
            (
                "7 months pregnant, water is coming out from my private part",
                "s_leaking_liquor",
            ),
            ("green water came out", "s_meconium_stained_liquor"),
            ("the cord is hanging out", "s_cord_seen_at_vulva"),
            ("soaking two pads an hour", "s_heavy_vaginal_bleeding"),
            (
                "severe headache and seeing stars, 8 months pregnant",
                "s_severe_headache",
            ),
            ("pregnant woman having fits", "s_convulsion"),
            (
                "labour since yesterday morning and baby not coming",
                "s_labour_over_12_hours",
            ),
            (
                "missed my period and have sharp pain on one side",
                "s_missed_period",
            ),
            (
                "discharge with bad smell after delivery and fever",
                "s_foul_lochia",
            ),
            ("I was raped last night", "s_suspected_sexual_assault"),
        ],
    );
}

#[test]
fn danger_signs_of_a_man_are_recognised() {
    are_heard(
        Age::from_years(40),
        Sex::Male,
        &[
            ("he fainted and is not waking up", "s_unconscious"),
            ("found unconscious on the floor", "s_unconscious"),
            (
                "chest feels like something heavy sitting on it",
                "s_central_crushing_chest_pain",
            ),
            (
                "chest pain spreading to my left arm and jaw",
                "s_chest_pain_radiating_to_arm_or_jaw",
            ),
            ("cannot breathe", "s_breathlessness"),
            ("short of breath even at rest", "s_breathlessness_at_rest"),
            (
                "cannot speak a full sentence because of breathlessness",
                "s_unable_to_complete_sentences",
            ),
            ("coughing up blood", "s_haemoptysis"),
            ("vomiting blood", "s_haematemesis"),
            (
                "vomit looks like coffee grounds",
                "s_coffee_ground_vomiting",
            ),
            ("black sticky stool", "s_black_tarry_stool"),
            ("one side of my face has dropped", "s_facial_droop"),
            ("mouth is twisted to one side", "s_facial_droop"),
            (
                "cannot move one side of my body",
                "s_sudden_weakness_of_one_side",
            ),
            ("my speech is slurred", "s_slurred_speech"),
            ("he cannot talk since morning", "s_loss_of_speech"),
            (
                "worst headache of my life",
                "s_sudden_worst_headache_of_life",
            ),
            ("suddenly cannot see in one eye", "s_sudden_loss_of_vision"),
            ("confused and talking nonsense", "s_confusion"),
            ("he does not know where he is", "s_confusion"),
            (
                "blood will not stop from the cut",
                "s_bleeding_that_will_not_stop",
            ),
            (
                "bleeding from nose and gums",
                "s_bleeding_from_multiple_sites",
            ),
            (
                "tongue and lips are swelling after eating groundnuts",
                "s_swollen_lips",
            ),
            (
                "throat is closing after injection",
                "s_sudden_breathlessness",
            ),
            (
                "belly is hard like wood and very painful",
                "s_rigid_abdomen",
            ),
            (
                "have not passed stool or gas for 3 days and belly swollen",
                "s_absolute_constipation",
            ),
            ("I cannot pass urine at all", "s_urinary_retention_symptom"),
            (
                "sudden severe pain in my testicle",
                "s_sudden_testicular_pain",
            ),
            (
                "legs are weak and I cannot feel when I pass urine",
                "s_bladder_or_bowel_incontinence_new",
            ),
            ("jaw is locked and I cannot open my mouth", "s_trismus"),
            ("body arching backwards and stiff", "s_opisthotonos"),
            ("afraid of water after dog bite", "s_hydrophobia"),
            ("snake bit me on the leg", "s_snake_bite"),
            ("bitten by a snake", "s_snake_bite"),
            ("I took an overdose of tablets", "s_overdose_of_tablets"),
            ("he drank Gammalin", "s_poison_ingestion"),
            ("I want to end my life", "s_suicidal_thoughts"),
            ("tried to hang himself", "s_suicide_plan_or_attempt"),
            (
                "he wants to kill people and is very violent",
                "s_thoughts_of_harming_others",
            ),
            (
                "hearing voices telling me to hurt myself",
                "s_suicidal_thoughts",
            ),
            ("hit by a car", "s_road_traffic_accident"),
            ("okada accident, head hit the ground", "s_head_injury"),
            ("gunshot wound to the leg", "s_gunshot_wound_sign"),
            ("stabbed in the stomach", "s_stab_wound_sign"),
            (
                "bone is coming out of the leg",
                "s_open_wound_with_bone_visible",
            ),
            ("electric shock", "s_electrocution_event"),
            ("drank methylated spirit", "s_poison_ingestion"),
            ("acid poured on face", "s_chemical_burn_skin"),
            (
                "slept with generator on in the room, headache and vomiting",
                "s_generator_fume_exposure",
            ),
            (
                "sweating, shaking and confused, I took insulin and did not eat",
                "s_confusion",
            ),
            (
                "breathing deep and fast with fruity breath",
                "s_acetone_breath",
            ),
            ("rice water stool many times", "s_rice_water_stool"),
            (
                "dizzy when standing and very thirsty after diarrhoea",
                "s_lightheadedness_on_standing",
            ),
            ("eye hit by a stick and cannot see", "s_eye_trauma"),
            ("foreign body in the windpipe", "s_choking_episode"),
            ("coughing out a cup of blood", "s_large_haemoptysis"),
            (
                "voices telling him to kill his brother",
                "s_thoughts_of_harming_others",
            ),
            (
                "leg is cold, pale and painful",
                "s_sudden_cold_painful_limb",
            ),
            (
                "calf swollen and painful on one side",
                "s_unilateral_leg_swelling",
            ),
            (
                "rash with blisters and skin peeling after taking septrin",
                "s_skin_peeling",
            ),
            ("fever with stiff neck and light hurts", "s_neck_stiffness"),
            ("passed out while running", "s_fainting_on_exertion"),
            ("collapsed in the market", "s_collapse"),
        ],
    );
}

#[test]
fn danger_signs_of_a_baby_are_recognised_in_other_languages() {
    are_heard(
        Age::from_years(0),
        Sex::Male,
        &[
            ("pikin no dey wake up", "s_unconscious"),
            ("pikin dey convulse", "s_convulsion"),
            ("e dey vomit everything wey e chop", "s_vomits_everything"),
            ("pikin no gree drink water", "s_unable_to_drink"),
            ("breath dey cut am", "s_breathlessness"),
            ("e dey breathe fast fast", "s_fast_breathing_for_age"),
            ("belle dey run am like water", "s_watery_diarrhoea"),
            ("blood dey him shit", "s_blood_mixed_with_stool"),
            ("eye don sink", "s_sunken_eyes"),
            ("mtoto amepoteza fahamu", "s_unconscious"),
            ("mtoto ana degedege", "s_convulsion"),
            ("mtoto anapumua haraka", "s_fast_breathing_for_age"),
            ("mtoto hanyonyi", "s_poor_feeding_in_infant"),
            ("mtoto anatapika kila kitu", "s_vomits_everything"),
            ("anaharisha damu", "s_bloody_diarrhoea"),
            ("macho yameingia ndani", "s_sunken_eyes"),
            ("mtoto amelegea sana", "s_lethargy"),
            ("yaro ba ya shan nono", "s_poor_feeding_in_infant"),
            ("yaro yana farfadiya", "s_convulsion"),
            ("yaro ya suma", "s_fainting"),
            ("yana numfashi da sauri", "s_fast_breathing_for_age"),
            ("zawo da jini", "s_bloody_diarrhoea"),
            ("idanunsa sun fada", "s_sunken_eyes"),
            ("mon bébé ne tète plus", "s_not_able_to_breastfeed"),
            ("mon enfant convulse", "s_convulsion"),
            ("il vomit tout", "s_vomits_everything"),
            ("il vomit tout ce qu'il mange", "s_vomits_everything"),
            ("il ne se réveille pas", "s_unconscious"),
            ("il respire très vite", "s_fast_breathing_for_age"),
            ("du sang dans les selles", "s_blood_mixed_with_stool"),
            ("ses yeux sont enfoncés", "s_sunken_eyes"),
        ],
    );
}

#[test]
fn danger_signs_of_a_woman_are_recognised_in_other_languages() {
    are_heard(
        Age::from_years(26),
        Sex::Female,
        &[
            ("I dey bleed well well and I get belle", "s_heavy_bleeding"),
            ("belle no dey move again", "s_reduced_fetal_movement"),
            ("natokwa na damu nyingi ukeni", "s_heavy_vaginal_bleeding"),
            ("mtoto hachezi tumboni", "s_no_fetal_movement"),
            (
                "nina mimba na kichwa kinauma sana, naona ukungu",
                "s_headache",
            ),
            ("je saigne beaucoup", "s_heavy_bleeding"),
            ("bébé ne bouge plus dans mon ventre", "s_no_fetal_movement"),
            ("j'ai accouché hier", "p_postpartum_within_6_weeks"),
            ("nimejifungua jana", "p_postpartum_within_6_weeks"),
            ("na haihu jiya", "p_postpartum_within_6_weeks"),
            ("ina zubar da jini sosai", "s_heavy_bleeding"),
        ],
    );
}

#[test]
fn danger_signs_of_a_man_are_recognised_in_other_languages() {
    are_heard(
        Age::from_years(40),
        Sex::Male,
        &[
            (
                "chest dey pain me like say dem press am",
                "s_central_crushing_chest_pain",
            ),
            ("I no fit breathe", "s_breathlessness"),
            (
                "one side of my body don die",
                "s_sudden_weakness_of_one_side",
            ),
            ("mouth don bend", "s_facial_droop"),
            ("snake bite me for farm", "s_snake_bite"),
            ("I drink sniper", "s_poison_ingestion"),
            ("I wan kill myself", "s_suicidal_thoughts"),
            ("I dey vomit blood", "s_haematemesis"),
            ("my shit dey black like tar", "s_black_tarry_stool"),
            ("nimeumwa na nyoka", "s_snake_bite"),
            ("kifua kinauma sana", "s_chest_pain"),
            ("natapika damu", "s_haematemesis"),
            ("siwezi kupumua", "s_breathlessness"),
            (
                "upande mmoja wa mwili umepooza",
                "s_sudden_weakness_of_one_side",
            ),
            ("nataka kujiua", "s_suicidal_thoughts"),
            ("amekunywa sumu", "s_poison_ingestion"),
            ("shingo imekakamaa", "s_neck_stiffness"),
            ("maciji ya sare ni", "s_snake_bite"),
            ("kirjina yana ciwo", "s_chest_pain"),
            ("ina amai da jini", "s_haematemesis"),
            ("ba na iya numfashi", "s_breathlessness"),
            ("ya sha guba", "s_poison_ingestion"),
            ("mordu par un serpent", "s_snake_bite"),
            ("j'ai mal à la poitrine", "s_chest_pain"),
            ("je vomis du sang", "s_haematemesis"),
            ("je n'arrive pas à respirer", "s_breathlessness"),
            ("il est paralysé d'un côté", "s_sudden_weakness_of_one_side"),
            ("je veux mourir", "s_suicidal_thoughts"),
            ("il a bu un poison", "s_poison_ingestion"),
            ("nuque raide et fièvre", "s_neck_stiffness"),
            ("il a perdu connaissance", "s_fainting"),
            ("selles noires", "s_black_tarry_stool"),
            ("ejo bu mi je", "s_snake_bite"),
            ("aya n dun mi", "s_chest_pain"),
            ("mo n bi eje", "s_haematemesis"),
            ("agwo tara m", "s_snake_bite"),
            ("obi na-egbu m mgbu", "s_chest_pain"),
        ],
    );
}

#[test]
fn a_burn_with_blisters_is_recognised() {
    are_heard(
        Age::from_years(3),
        Sex::Female,
        &[
            (
                "burnt my hand with hot oil, blisters",
                "s_burn_with_blisters",
            ),
            ("scald on leg with blisters", "s_burn_with_blisters"),
            (
                "hot water poured on him and the skin is peeling",
                "s_burn_with_blisters",
            ),
            ("hot soup burnt his belly", "s_burn"),
            ("child pulled hot tea over herself", "s_burn"),
            (
                "burnt whole of my back with petrol",
                "s_burn_over_20_percent",
            ),
            ("electric wire burn on hand", "s_electrocution_event"),
        ],
    );
    let alone = found(&read("blisters on the arm", &ParseContext::default()));
    assert_eq!(alone, ["s_vesicular_rash"]);
}

#[test]
fn an_overdose_is_recognised_by_the_number_of_tablets() {
    let overdose = "s_overdose_of_tablets";
    are_heard(
        Age::from_years(23),
        Sex::Female,
        &[
            ("took 30 tablets of paracetamol last night", overdose),
            ("swallowed 25 paracetamol", overdose),
            ("she took about twenty diazepam tablets", overdose),
            ("took 40 tabs of PCM two days ago, yellow eyes", overdose),
        ],
    );
    for text in [
        "took 2 tablets of paracetamol",
        "took 24 tablets of coartem over 3 days",
        "took 500 mg paracetamol",
        "was given 20 tablets",
    ] {
        let got = found(&read(text, &ParseContext::default()));
        assert!(
            !got.iter().any(|understood| understood == overdose),
            "{text}: {got:?}"
        );
    }
}

#[test]
fn no_fetal_movement_is_recognised_only_in_the_womb() {
    let mother = (Age::from_years(30), Sex::Female);
    are_heard(
        mother.0,
        mother.1,
        &[
            ("my baby is not moving", "s_no_fetal_movement"),
            ("the baby has stopped moving", "s_no_fetal_movement"),
            ("I do not feel my baby move", "s_no_fetal_movement"),
            ("I don't feel the baby move anymore", "s_no_fetal_movement"),
            ("I have not felt my baby move today", "s_no_fetal_movement"),
            ("I can't feel the baby move", "s_no_fetal_movement"),
            ("baby no dey move for belle", "s_reduced_fetal_movement"),
            (
                "I cannot move my left arm and leg",
                "s_sudden_weakness_of_one_side",
            ),
            ("weakness in both legs going up", "s_ascending_weakness"),
        ],
    );
    let got = found(&read(
        "I woke up and cannot move my body",
        &ParseContext::default(),
    ));
    assert_eq!(got, [""; 0], "nobody spoke of a baby");
}
