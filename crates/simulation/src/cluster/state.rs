//! The state of database, bucket and nodes. Times are counted in ticks.

pub(super) const NODES: usize = 2;

/// The length of a lease.
pub(super) const LENGTH: u8 = 3;

/// How long after a request was sent the node may begin to write to the bucket.
pub(super) const MAY_WRITE: u8 = 2;

/// The time limit of a write to the bucket.
pub(super) const WRITE_LIMIT: u8 = LENGTH - MAY_WRITE;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct State {
    pub lease: Lease,
    pub nodes: [Node; NODES],
    /// The session of each node on the catalog, as the server sees it.
    pub sessions: [Option<Session>; NODES],
    /// The highest epoch under which a session has begun to read and write.
    pub newest: u8,
    /// A write of a former node reached the bucket after a newer session had begun.
    pub late_write: bool,
}

/// The row of the database that holds the lease.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Lease {
    pub holder: Option<Process>,
    pub epoch: u8,
    pub left: u8,
}

/// The id of a process: its node, and the number of processes before it on this node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Process {
    pub node: usize,
    pub number: u8,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Node {
    pub process: u8,
    pub phase: Phase,
    /// How long the node may still begin to write to the bucket.
    pub may_write: u8,
    pub request: Option<Request>,
    /// A process that sent a claim and no longer awaits the answer. The database may still carry out the claim. (A late
    /// renewal only lengthens a lease that the process still has.)
    pub stray_claim: Option<Process>,
    /// The epoch and the age of a write to the bucket that is under way.
    pub write: Option<(u8, u8)>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) enum Phase {
    #[default]
    Standby,
    Active {
        epoch: u8,
        /// A session of the node has begun to read and write.
        serves: bool,
    },
    Lost,
}

/// A request about the lease that the node awaits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Request {
    pub call: LeaseCall,
    pub age: u8,
    pub answer: Option<Answer>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum LeaseCall {
    Claim,
    Renew { epoch: u8 },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Answer {
    /// The row names the process; the session of the former node has not been ended yet.
    Named {
        epoch: u8,
    },
    Taken {
        epoch: u8,
    },
    Held,
    Renewed(bool),
}

/// A session that has the lock of the catalog.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Session {
    pub process: Process,
    pub epoch: u8,
    /// The session has seen that its epoch is the present one, so it reads and writes.
    pub checked: bool,
}

impl State {
    pub(super) fn process(&self, node: usize) -> Process {
        Process { node, number: self.nodes[node].process }
    }

    /// Returns whether every session that may write has the newest epoch under which any session has begun.
    pub(super) fn sessions_are_of_the_newest_epoch(&self) -> bool {
        self.sessions.iter().flatten().filter(|session| session.checked).all(|session| session.epoch >= self.newest)
    }

    /// Returns whether a session serves while another node is still active under an earlier epoch.
    pub(super) fn serves_beside_one_that_stands_still(&self) -> bool {
        let serves = |session: &Session| session.checked && session.epoch == self.newest;
        let is_former =
            |node: &Node| matches!(node.phase, Phase::Active { epoch, serves: true } if epoch < self.newest);
        self.sessions.iter().flatten().any(serves) && self.nodes.iter().any(is_former)
    }
}

impl Node {
    /// Notes that a session has begun to read and write, unless it is one of a former process.
    pub(super) fn note_session(&mut self, session: Session) {
        if let Phase::Active { epoch, serves } = &mut self.phase
            && (*epoch, self.process) == (session.epoch, session.process.number)
        {
            *serves = true;
        }
    }
}
