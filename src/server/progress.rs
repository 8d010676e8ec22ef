//! `$/progress`: a first pass that takes long is seen, and can be cancelled.

use std::{
    sync::{Arc, Weak},
    time::Duration,
};

use tower_lsp::lsp_types::{self as lsp, notification::Progress, request::WorkDoneProgressCreate};

use super::{Shared, ask, documents::Snapshot};

/// A pass that takes no longer is nobody's business.
const UNSEEN: Duration = Duration::from_millis(500);
/// How often the percentage is told.
const INTERVAL: Duration = Duration::from_millis(200);

/// Shows the first pass over a document to the client if it takes long.
///
/// Holds the snapshot no longer than it takes to look at it.
pub(super) async fn show(shared: Arc<Shared>, snapshot: Weak<Snapshot>) {
    let runs = || snapshot.upgrade().filter(|snapshot| !snapshot.is_analysed());
    tokio::time::sleep(UNSEEN).await;
    let Some((token, name)) = runs().map(|snapshot| (token_of(&snapshot), name_of(&snapshot))) else {
        return;
    };
    shared.state().passes.insert(token.clone(), snapshot.clone());
    let params = lsp::WorkDoneProgressCreateParams { token: token.clone() };
    let create =
        |client: super::Client| async move { client.send_request::<WorkDoneProgressCreate>(params).await };
    if ask(shared.client.clone(), create).await.is_some() {
        let percentage = runs().map(|snapshot| snapshot.percentage());
        let begin = lsp::WorkDoneProgressBegin {
            title: format!("Reading {name}"),
            cancellable: Some(true),
            percentage,
            ..lsp::WorkDoneProgressBegin::default()
        };
        tell(&shared, &token, lsp::WorkDoneProgress::Begin(begin)).await;
        let mut told = percentage;
        while let Some(percentage) = runs().map(|snapshot| snapshot.percentage()) {
            if told.replace(percentage) != Some(percentage) {
                let percentage = Some(percentage);
                let report =
                    lsp::WorkDoneProgressReport { percentage, ..lsp::WorkDoneProgressReport::default() };
                tell(&shared, &token, lsp::WorkDoneProgress::Report(report)).await;
            }
            tokio::time::sleep(INTERVAL).await;
        }
        tell(&shared, &token, lsp::WorkDoneProgress::End(lsp::WorkDoneProgressEnd::default())).await;
    }
    shared.state().passes.remove(&token);
}

async fn tell(shared: &Shared, token: &lsp::ProgressToken, progress: lsp::WorkDoneProgress) {
    let value = lsp::ProgressParamsValue::WorkDone(progress);
    shared.client.send_notification::<Progress>(lsp::ProgressParams { token: token.clone(), value }).await;
}

/// No two passes have the same: a document that is opened anew has another
/// opening.
fn token_of(snapshot: &Snapshot) -> lsp::ProgressToken {
    lsp::ProgressToken::String(format!("jsonRepair/{}/{}", snapshot.opening, snapshot.version))
}

/// The last part of the URI's path, as people write it.
fn name_of(snapshot: &Snapshot) -> String {
    let path = percent_encoding::percent_decode_str(snapshot.uri.path()).decode_utf8_lossy();
    path.rsplit('/').next().unwrap_or_default().to_owned()
}
