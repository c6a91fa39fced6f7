//! The caller of a tool, and the agent that the call is for.

use annals_core::{Agent, Error, Result};
use annals_service::Service;
use serde_json::Value;

use crate::access::Caller;

/// Maximum number of agent names in an error. More would only fill the model's context without helping it to choose.
const MAX_NAMED: usize = 20;

/// The caller, and the agent that the path or a header of the request names, if one of them does.
#[derive(Clone, Debug)]
pub(crate) struct Asker {
    pub(crate) caller: Caller,
    /// The agent of the path or header, if one is given.
    pub(crate) agent: Option<String>,
}

impl Asker {
    /// Returns the agent of a call: the agent of the path or header; without it, the agent that the call names; without both,
    /// the only agent that the caller may use. Fails if the call names another agent than the path or header.
    pub(crate) async fn agent(&self, service: &Service, named: Option<Value>) -> Result<Agent> {
        let named = match named {
            None => None,
            Some(Value::String(name)) => Some(name),
            Some(_) => return Err(Error::invalid("agent", "is not a name")),
        };
        let name = match (&self.agent, named) {
            (Some(bound), Some(named)) if !self.is_same(service, bound, &named).await => {
                let reason = format!("is {named:?}, but this connection is bound to {bound:?}; leave the argument out");
                return Err(Error::invalid("agent", reason));
            }
            (Some(bound), _) => bound.clone(),
            (None, Some(named)) => named,
            (None, None) => self.only(service).await?,
        };
        service.agent(&self.caller, &name).await
    }

    /// Returns whether two names lead to the same agent, as the present name and a former name do.
    async fn is_same(&self, service: &Service, bound: &str, named: &str) -> bool {
        if bound == named {
            return true;
        }
        let agents = (service.agent(&self.caller, bound).await, service.agent(&self.caller, named).await);
        matches!(agents, (Ok(bound), Ok(named)) if bound == named)
    }

    /// Returns the name of the only agent that the caller may use. Fails if there is none or more than one. If there are
    /// several, the error names up to `MAX_NAMED` of them.
    async fn only(&self, service: &Service) -> Result<String> {
        let may_use = |agent: &Agent| self.caller.opens(agent);
        let agents = service.agents(self.caller.workspace(), None, MAX_NAMED, may_use).await?;
        match agents.as_slice() {
            [] => Err(Error::invalid(
                "agent",
                "is missing: give the name of the agent; the first add_memory creates a new one",
            )),
            [only] => Ok(only.name().to_owned()),
            several => {
                let names: Vec<String> = several.iter().map(|one| format!("{:?}", one.name())).collect();
                Err(Error::invalid(
                    "agent",
                    format!("is missing: give the name of the agent, one of {}", names.join(", ")),
                ))
            }
        }
    }
}
