//! The steps of nodes and database. A step is possible if [`Protocol::after`] returns a state.

use super::state::{
    Answer, LENGTH, Lease, LeaseCall, MAY_WRITE, Node, Phase, Process, Request, Session, State, WRITE_LIMIT,
};
use super::{Fence, Protocol};

/// A step. The number is the index of the node that takes the step or that it concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Tick,
    /// Sends a claim or a renewal.
    Ask(usize),
    /// The database carries out the request.
    CarryOut(usize),
    /// The database ends the session of the former node, after a claim.
    EndFormer(usize),
    /// The former session could not be ended in time.
    LeaveFormer(usize),
    /// The answer arrives.
    Hear(usize),
    /// The node does not await the answer any more.
    GiveUp(usize),
    /// The database carries out a claim after the node stopped awaiting the answer.
    CarryOutStrayClaim(usize),
    /// A session takes the lock.
    TakeLock(usize),
    /// The session checks its epoch.
    CheckEpoch(usize),
    BeginWrite(usize),
    /// The bucket carries out the write.
    FinishWrite(usize),
    LoseWrite(usize),
    /// The node releases its lease, and a new process begins.
    Release(usize),
    /// The process is killed, or begins again because it lost its lease.
    Restart(usize),
    /// The server notices that the process of a session has ended.
    EndOrphan(usize),
}

impl Step {
    pub(super) fn of_node(n: usize) -> [Step; 15] {
        [
            Step::Ask(n),
            Step::CarryOut(n),
            Step::EndFormer(n),
            Step::LeaveFormer(n),
            Step::Hear(n),
            Step::GiveUp(n),
            Step::CarryOutStrayClaim(n),
            Step::TakeLock(n),
            Step::CheckEpoch(n),
            Step::BeginWrite(n),
            Step::FinishWrite(n),
            Step::LoseWrite(n),
            Step::Release(n),
            Step::Restart(n),
            Step::EndOrphan(n),
        ]
    }
}

impl Protocol {
    /// Returns the state after a step, if the step is possible.
    pub(super) fn after(&self, state: &State, step: Step) -> Option<State> {
        let mut next = *state;
        match step {
            Step::Tick => self.tick(&mut next)?,
            Step::Ask(n) => ask(&mut next.nodes[n])?,
            Step::CarryOut(n) => self.carry_out_request(&mut next, n)?,
            Step::EndFormer(n) => self.end_former(&mut next, n)?,
            Step::LeaveFormer(n) => leave_former(&mut next.nodes[n])?,
            Step::Hear(n) => self.hear(&mut next.nodes[n])?,
            Step::GiveUp(n) => give_up(&mut next, n)?,
            Step::CarryOutStrayClaim(n) => self.carry_out_stray_claim(&mut next, n)?,
            Step::TakeLock(n) => self.take_lock(&mut next, n)?,
            Step::CheckEpoch(n) => self.check_epoch(&mut next, n)?,
            Step::BeginWrite(n) => self.begin_write(&mut next, n)?,
            Step::FinishWrite(n) => finish_write(&mut next, n)?,
            Step::LoseWrite(n) => drop(next.nodes[n].write.take()?),
            Step::Release(n) => self.release(&mut next, n)?,
            Step::Restart(n) => restart(&mut next, n),
            Step::EndOrphan(n) => end_orphan(&mut next, n)?,
        }
        Some(next)
    }

    fn tick(&self, state: &mut State) -> Option<()> {
        state.lease.left = state.lease.left.saturating_sub(1);
        for node in &mut state.nodes {
            node.may_write = node.may_write.saturating_sub(1);
            if let Some(request) = &mut node.request {
                request.age = MAY_WRITE.min(request.age + 1);
            }
            if let Some((_, age)) = &mut node.write {
                if *age == WRITE_LIMIT && !self.late_bucket {
                    return None;
                }
                *age = WRITE_LIMIT.min(*age + 1);
            }
        }
        Some(())
    }

    fn carry_out_request(&self, state: &mut State, n: usize) -> Option<()> {
        let request = state.nodes[n].request.filter(|request| request.answer.is_none())?;
        let process = state.process(n);
        let answer = self.answer(&mut state.lease, process, request.call);
        state.nodes[n].request = Some(Request { answer: Some(answer), ..request });
        Some(())
    }

    fn carry_out_stray_claim(&self, state: &mut State, n: usize) -> Option<()> {
        let process = state.nodes[n].stray_claim.take()?;
        self.answer(&mut state.lease, process, LeaseCall::Claim);
        Some(())
    }

    /// Changes the row of the lease as a claim or a renewal does.
    fn answer(&self, lease: &mut Lease, process: Process, call: LeaseCall) -> Answer {
        let is_holder = lease.holder == Some(process);
        match call {
            LeaseCall::Claim if lease.left == 0 || is_holder || !self.has(Fence::EndOfLease) => {
                *lease = Lease { holder: Some(process), epoch: lease.epoch + 1, left: LENGTH };
                Answer::Named { epoch: lease.epoch }
            }
            LeaseCall::Claim => Answer::Held,
            LeaseCall::Renew { epoch } if is_holder && lease.epoch == epoch => {
                lease.left = LENGTH;
                Answer::Renewed(true)
            }
            LeaseCall::Renew { .. } => Answer::Renewed(false),
        }
    }

    fn end_former(&self, state: &mut State, n: usize) -> Option<()> {
        leave_former(&mut state.nodes[n])?;
        if self.has(Fence::EndOfSession) {
            state.sessions = Default::default();
        }
        Some(())
    }

    fn hear(&self, node: &mut Node) -> Option<()> {
        let request = node.request?;
        let counted = if self.has(Fence::CountedFromSending) { request.age } else { 0 };
        let left = MAY_WRITE.saturating_sub(counted);
        match request.answer? {
            Answer::Named { .. } => return None,
            Answer::Taken { epoch } => (node.phase, node.may_write) = (Phase::Active { epoch, serves: false }, left),
            Answer::Renewed(true) => node.may_write = left,
            Answer::Renewed(false) => (node.phase, node.may_write) = (Phase::Lost, 0),
            Answer::Held => {}
        }
        node.request = None;
        Some(())
    }

    fn take_lock(&self, state: &mut State, n: usize) -> Option<()> {
        let Phase::Active { epoch, .. } = state.nodes[n].phase else { return None };
        let is_free = state.sessions.iter().all(Option::is_none) || !self.has(Fence::Lock);
        let process = state.process(n);
        (is_free && state.sessions[n].is_none()).then_some(())?;
        state.sessions[n] = Some(Session { process, epoch, checked: false });
        Some(())
    }

    /// Accepts the session, or frees the lock if the session is refused.
    fn check_epoch(&self, state: &mut State, n: usize) -> Option<()> {
        let session = state.sessions[n].filter(|session| !session.checked)?;
        let is_present = state.lease.holder == Some(session.process) && state.lease.epoch == session.epoch;
        let accepted = is_present || !self.has(Fence::Epoch);
        state.sessions[n] = accepted.then_some(Session { checked: true, ..session });
        if accepted {
            state.newest = state.newest.max(session.epoch);
            state.nodes[n].note_session(session);
        }
        Some(())
    }

    fn begin_write(&self, state: &mut State, n: usize) -> Option<()> {
        let node = &mut state.nodes[n];
        let Phase::Active { epoch, .. } = node.phase else { return None };
        let may_write = node.may_write > 0 || !self.has(Fence::Deadline);
        (may_write && node.write.is_none()).then_some(())?;
        node.write = Some((epoch, 0));
        Some(())
    }

    fn release(&self, state: &mut State, n: usize) -> Option<()> {
        let node = state.nodes[n];
        let is_active = matches!(node.phase, Phase::Active { .. });
        let waited = node.write.is_none() || !self.has(Fence::WaitForWrites);
        (is_active && waited).then_some(())?;
        if state.lease.holder == Some(state.process(n)) {
            state.lease.left = 0;
        }
        restart(state, n);
        Some(())
    }
}

fn ask(node: &mut Node) -> Option<()> {
    let call = match node.phase {
        Phase::Standby => LeaseCall::Claim,
        Phase::Active { epoch, .. } => LeaseCall::Renew { epoch },
        Phase::Lost => return None,
    };
    node.request.is_none().then_some(())?;
    node.request = Some(Request { call, age: 0, answer: None });
    Some(())
}

fn leave_former(node: &mut Node) -> Option<()> {
    let request = node.request.as_mut()?;
    let Some(Answer::Named { epoch }) = request.answer else { return None };
    request.answer = Some(Answer::Taken { epoch });
    Some(())
}

fn give_up(state: &mut State, n: usize) -> Option<()> {
    let process = state.process(n);
    let node = &mut state.nodes[n];
    let request = node.request.take()?;
    if request.answer.is_none() && request.call == LeaseCall::Claim {
        node.stray_claim = Some(process);
    }
    Some(())
}

fn finish_write(state: &mut State, n: usize) -> Option<()> {
    let (epoch, _) = state.nodes[n].write.take()?;
    state.late_write |= epoch < state.newest;
    Some(())
}

/// Begins a new process. The session, a request and a write of the former process remain for a while.
fn restart(state: &mut State, n: usize) {
    let _ = give_up(state, n);
    let Node { process, stray_claim, write, .. } = state.nodes[n];
    state.nodes[n] = Node { process: process + 1, stray_claim, write, ..Node::default() };
}

fn end_orphan(state: &mut State, n: usize) -> Option<()> {
    let session = state.sessions[n]?;
    (session.process != state.process(n)).then_some(())?;
    state.sessions[n] = None;
    Some(())
}
