//! Why a tool was not run or failed, in words that a model can act on.

use annals_core::ports::Scope;
use annals_core::{Error, Fault, ObjectKind};
use annals_service::NotAdmitted;

use crate::exit_codes_and_statuses;
use crate::rest::Problem;

/// The reason why a tool call has no answer.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// No tool has this name.
    NoSuchTool(String),
    /// The key lacks this scope.
    Scope(Scope),
    /// The arguments do not fit the tool. Faults have the tool's own names of arguments.
    Arguments(Error),
    /// The service accepts no new messages now.
    Busy(Problem),
    /// The operation failed.
    Failed(Error),
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Refusal {
        Refusal::Failed(error)
    }
}

impl From<NotAdmitted> for Refusal {
    fn from(refused: NotAdmitted) -> Refusal {
        match refused {
            NotAdmitted::Failed(error) => Refusal::Failed(error),
            refused => Refusal::Busy(refused.into()),
        }
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Problem {
        match refusal {
            Refusal::NoSuchTool(name) => Problem::from(Error::NotFound { what: ObjectKind::Tool, name }),
            Refusal::Scope(scope) => Problem::insufficient_scope(format!("the key lacks the scope \"{scope}\"")),
            Refusal::Busy(problem) => problem,
            Refusal::Arguments(error) => Problem::from(error),
            Refusal::Failed(Error::Invalid(fault)) => Problem::from(Error::Invalid(in_words_of_tools(fault))),
            Refusal::Failed(Error::Faults(faults)) => {
                Problem::from(Error::Faults(faults.into_iter().map(in_words_of_tools).collect()))
            }
            Refusal::Failed(error) => Problem::from(error),
        }
    }
}

impl Refusal {
    /// Returns for a model what happened and what to do next. Writes faults of the server to the log.
    pub(super) fn into_text(self) -> String {
        let advice = self.advice();
        let problem = Problem::from(self);
        if problem.status().is_server_error() {
            tracing::error!(code = problem.code(), error = problem.detail(), "a tool failed");
        }
        format!("Error: {}. {advice}", problem.detail().trim_end_matches('.'))
    }

    fn advice(&self) -> &'static str {
        match self {
            Refusal::NoSuchTool(_) => "List the tools to see which exist.",
            Refusal::Scope(_) => "Do not try again; ask the person for a key with that scope.",
            Refusal::Busy(_) => "Wait a little and call again with the same arguments.",
            Refusal::Arguments(error) | Refusal::Failed(error) => exit_codes_and_statuses::row(error).advice,
        }
    }
}

/// Renames the field of a fault to the tool's own argument. `add_memory` is carried out as a request with one message, so the
/// prefix of that message is removed. All other names are those of REST.
fn in_words_of_tools(fault: Fault) -> Fault {
    let field = fault.field.strip_prefix("messages[0].").unwrap_or(&fault.field).to_owned();
    Fault { field, ..fault }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::StatusCode;

    #[test]
    fn fault_has_the_name_of_the_tool_argument() {
        fn check(field: &str, expect: &str) {
            let text = Refusal::from(Error::invalid(field, "is wrong")).into_text();
            assert_eq!(text, format!("Error: {expect} is wrong. Correct that and call again."));
        }
        check("limit", "limit");
        check("min_days_ago", "min_days_ago");
        check("messages[0].content", "content");
        check("messages[0].at", "at");
        check("the range", "the range");
        let [one, other] = ["limit", "min_days_ago"].map(|field| Error::invalid(field, "is wrong"));
        let faults = [one, other].into_iter().filter_map(|error| match error {
            Error::Invalid(fault) => Some(fault),
            _ => None,
        });
        let text = Refusal::from(Error::Faults(faults.collect())).into_text();
        assert!(text.contains("limit is wrong") && text.contains("min_days_ago is wrong"), "{text}");
    }

    #[test]
    fn error_of_the_store_while_admitting_is_no_full_backlog() {
        let of = |refused: NotAdmitted| Refusal::from(refused).into_text();
        let failed = of(NotAdmitted::Failed(Error::storage("reading", "disk gone")));
        assert!(failed.ends_with("go on without it, or try again in a minute."), "{failed}");
        let full = of(NotAdmitted::BacklogFull(9));
        assert!(full.ends_with("Wait a little and call again with the same arguments."), "{full}");
    }

    #[test]
    fn missing_scope_is_the_same_problem_as_over_rest() {
        let problem = Problem::from(Refusal::Scope(Scope::Admin));
        assert_eq!((problem.status(), problem.code()), (StatusCode::FORBIDDEN, "insufficient_scope"));
    }
}
