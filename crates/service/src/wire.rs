//! Request and answer types of REST, MCP and the command's `--json`. Field names are part of the public interface and change on
//! purpose only. Plain data without business rules.

mod backup;
mod batches;
mod context;
mod costs;
mod documents;
mod facts;
mod forget;
mod imports;
mod ingest;
mod jobs;
mod keys;
mod lists;
mod maintenance;
mod memory;
mod operator;
mod periods;
mod plans;
mod schema_enums;
mod search;
mod settings;
mod status;
mod when;

pub use backup::{BackupCheck, BackupReport, BackupView, BackupsView, RestoreReport};
pub use batches::{BatchStep, BatchView, EstimateView};
pub use context::{BlockView, BlocksRequest, BlocksView, ContextAnswer, ContextItemView, ContextRequest, DocumentIn};
pub use costs::{BudgetView, CostView, CostsAnswer, CostsRequest, PriceView, PricesView};
pub use documents::{
    CollectionView, CollectionsAnswer, DocumentResult, DocumentSearchAnswer, DocumentSearchRequest, DocumentView,
    DocumentsAnswer, DocumentsRequest, PassageOf, PassageView, PutDocument,
};
pub use facts::{FactEntry, FactView, FactsAnswer, FactsRequest, Verb};
pub use forget::{ForgetAnswer, ForgetReport, ForgetRequest, PartlyNamed, ProofView};
pub use imports::{
    FoundItems, ImportCounts, ImportItem, ImportReport, ImportStatus, ImportView, ItemIn, ItemsRequest, SkippedView,
    StoredItems, UploadRequest,
};
pub use ingest::{IngestRequest, Ingested, MessageIn, OperationView, Progress};
pub use jobs::{JobRunView, JobView, OutcomeView};
pub use keys::{KeyView, NewKey, NewKeyAnswer};
pub use lists::{ConversationEntry, ConversationsAnswer, PageRequest};
pub use maintenance::{
    AgentVerification, CatalogCopy, CheckedView, DeadLetterView, DiscrepancyView, EXPORT_FORMAT, ExportAnswer,
    ExportEnd, ExtractionView, ImportAnswer, KeptView, MissingDay, RebuildAnswer, ReplayAnswer, RetainAnswer,
    RetainRequest, RetentionAnswer, TotalsView, VerifyAnswer,
};
pub use memory::{
    CorrectRequest, CoverView, MemoryAnswer, MemoryView, PartView, SentenceView, SourcesAnswer, VersionView,
};
pub use operator::{AgentFailure, DoctorAnswer, Finding, FindingState, HealthView};
pub use periods::{AuthorView, DayView, PeriodState, PeriodView, PeriodsAnswer, PeriodsRequest};
pub use plans::{PastPlanView, PlanView, PlansAnswer};
pub use schema_enums::{DirectionWord, EngineWord, GrainWord, KindWord, RoleWord};
pub use search::{
    ConversationView, RangeView, SearchAnswer, SearchRequest, TimeExpressionView, TimelineAnswer, TimelineRequest,
};
pub use settings::{NewAgent, NewName, SettingsChange, SettingsView, ZoneView};
pub use status::{
    AgentView, AgentsAnswer, FailureView, FolderStatus, GrainStatus, ModelView, NotYetDueView, ReembeddingView,
    RollupAnswer, RollupRequest, StatusView, UngroundedView, UsageView,
};
pub use when::When;
