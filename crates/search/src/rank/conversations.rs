//! Step 3: a conversation that has several good turns is likely about what is asked.

use std::collections::HashMap;

use annals_core::ConversationFound;

use super::Row;
use crate::Weights;
use crate::score::Part;

/// Adds a share of the mean of the best turns to each turn of a conversation, and ranks the conversations.
pub(crate) fn conversations(rows: &mut [Row], weights: &Weights) -> Vec<ConversationFound> {
    let mut turns: HashMap<String, Vec<usize>> = HashMap::new();
    for (place, row) in rows.iter().enumerate() {
        if let Some(conversation) = &row.conversation {
            turns.entry(conversation.clone()).or_default().push(place);
        }
    }
    let mut found: Vec<ConversationFound> = Vec::with_capacity(turns.len());
    for (conversation, mut places) in turns {
        places.sort_by(|a, b| rows[*b].score.total().total_cmp(&rows[*a].score.total()).then(a.cmp(b)));
        let best: Vec<f64> = places.iter().take(weights.best).map(|place| rows[*place].score.total()).collect();
        let mean = best.iter().sum::<f64>() / best.len() as f64;
        found.push(ConversationFound { conversation, score: mean, best: rows[places[0]].memory.clone() });
        for place in places {
            rows[place].score.add(Part::Conversation, weights.conversation * mean);
        }
    }
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.conversation.cmp(&b.conversation)));
    found
}
