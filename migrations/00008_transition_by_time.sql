-- Transitions are read by time, over all entities.

-- +goose Up
-- simulate: what was folded since a time. Rows are only ever added, so the ranges
-- of a block are narrow, and folding pays for a few of them and not for each row.
create index transition_folded on pawl.transition using brin (folded_at) with (autosummarize = on);

-- +goose Down
drop index pawl.transition_folded;
