-- Components and incidents of status pages.

-- +goose Up
create table pawl.status_component (
  entity_key text not null,
  instance text not null,
  page_id text not null,
  component_id text not null,
  name text,
  description text,
  group_id text,
  status text not null,
  status_before text,
  provider_updated_at timestamptz,
  version bigint not null,
  needs_read boolean not null default false,
  folded_at timestamptz not null,
  constraint status_component_pkey primary key (entity_key),
  constraint status_component_status_is_known check (status in (
    'operational', 'under_maintenance', 'unknown', 'degraded_performance', 'partial_outage', 'major_outage'))
);
comment on table pawl.status_component is 'One row per component of a status page. It only moves forward by the component''s own clock, also where an incident shows it.';
comment on column pawl.status_component.entity_key is 'instance:page id/component id.';
comment on column pawl.status_component.instance is 'Host of the provider, statuspage.io.';
comment on column pawl.status_component.page_id is 'The provider''s id of the page.';
comment on column pawl.status_component.component_id is 'The provider''s id of the component.';
comment on column pawl.status_component.name is 'Name as of the newest payload.';
comment on column pawl.status_component.description is 'What the page says it is.';
comment on column pawl.status_component.group_id is 'The provider''s id of the group that it stands in.';
comment on column pawl.status_component.status is 'operational, under_maintenance, degraded_performance, partial_outage, major_outage, or unknown: a word that is not known never counts as operational.';
comment on column pawl.status_component.status_before is 'What the newest delivery says it was before. Depends on which deliveries came; for the fold alone.';
comment on column pawl.status_component.provider_updated_at is 'The component''s own watermark, on the provider''s clock. Never filled by our clock (I7).';
comment on column pawl.status_component.version is 'Count of folds that changed the row.';
comment on column pawl.status_component.needs_read is 'Two deliveries of one instant contradict each other; the worse status stands.';
comment on column pawl.status_component.folded_at is 'When the row last changed, on our clock.';

create table pawl.status_incident (
  entity_key text not null,
  instance text not null,
  page_id text not null,
  incident_id text not null,
  name text,
  status text not null,
  impact text,
  maintenance boolean not null default false,
  url text,
  components text[] not null default '{}',
  update_id text,
  body text,
  updates bigint not null default 0,
  created_at timestamptz,
  resolved_at timestamptz,
  scheduled_for timestamptz,
  scheduled_until timestamptz,
  provider_updated_at timestamptz,
  version bigint not null,
  needs_read boolean not null default false,
  folded_at timestamptz not null,
  constraint status_incident_pkey primary key (entity_key),
  constraint status_incident_status_is_known check (status in (
    'unknown', 'scheduled', 'investigating', 'in_progress', 'identified', 'monitoring', 'verifying',
    'resolved', 'completed', 'postmortem'))
);
comment on table pawl.status_incident is 'One row per incident and per scheduled maintenance of a status page.';
comment on column pawl.status_incident.entity_key is 'instance:page id!incident id.';
comment on column pawl.status_incident.instance is 'Host of the provider, statuspage.io.';
comment on column pawl.status_incident.page_id is 'The provider''s id of the page.';
comment on column pawl.status_incident.incident_id is 'The provider''s id of the incident.';
comment on column pawl.status_incident.name is 'Title as of the newest snapshot.';
comment on column pawl.status_incident.status is 'investigating, identified, monitoring, resolved, postmortem; of maintenance scheduled, in_progress, verifying, completed; or unknown.';
comment on column pawl.status_incident.impact is 'In the provider''s word: none, minor, major, critical, maintenance.';
comment on column pawl.status_incident.maintenance is 'It is scheduled maintenance.';
comment on column pawl.status_incident.url is 'Address for people.';
comment on column pawl.status_incident.components is 'Names of the components that the newest snapshot names, sorted.';
comment on column pawl.status_incident.update_id is 'Id of the newest update, by when it was made and not by the time it is shown under.';
comment on column pawl.status_incident.body is 'Text of that update.';
comment on column pawl.status_incident.updates is 'Updates that the newest snapshot has: it orders snapshots of one instant.';
comment on column pawl.status_incident.created_at is 'Made at, on the provider''s clock.';
comment on column pawl.status_incident.resolved_at is 'Resolved at, on the provider''s clock; null while it goes on.';
comment on column pawl.status_incident.scheduled_for is 'When the maintenance is to begin.';
comment on column pawl.status_incident.scheduled_until is 'When it is to end.';
comment on column pawl.status_incident.provider_updated_at is 'The incident''s own watermark: the newest time at which it or one of its updates was changed.';
comment on column pawl.status_incident.version is 'Count of folds that changed the row.';
comment on column pawl.status_incident.needs_read is 'Two snapshots of one instant contradict each other.';
comment on column pawl.status_incident.folded_at is 'When the row last changed, on our clock.';

-- The page: what of it does not work, and what goes on. Also status_summary.
create index status_component_page on pawl.status_component (instance, page_id, name);
create index status_incident_page on pawl.status_incident (instance, page_id, created_at);
-- What goes on now, over all pages.
create index status_incident_open on pawl.status_incident (created_at)
 where status not in ('resolved', 'completed', 'postmortem');

create view pawl.status_summary as
select instance, page_id,
       (array['operational', 'under_maintenance', 'unknown', 'degraded_performance', 'partial_outage', 'major_outage'])
         [max(worst)] as status,
       sum(components)::bigint as components,
       sum(not_operational)::bigint as not_operational,
       sum(open_incidents)::bigint as open_incidents,
       sum(open_maintenance)::bigint as open_maintenance,
       max(provider_updated_at) as provider_updated_at,
       max(folded_at) as folded_at
  from (
        select instance, page_id,
               array_position(array['operational', 'under_maintenance', 'unknown', 'degraded_performance', 'partial_outage', 'major_outage'], status) as worst,
               1 as components, (status <> 'operational')::int as not_operational, 0 as open_incidents, 0 as open_maintenance,
               provider_updated_at, folded_at
          from pawl.status_component
         union all
        select instance, page_id, null, 0, 0,
               (not maintenance and status not in ('resolved', 'completed', 'postmortem'))::int,
               (maintenance and status not in ('resolved', 'completed', 'postmortem'))::int,
               provider_updated_at, folded_at
          from pawl.status_incident) as shown
 group by instance, page_id;
comment on view pawl.status_summary is 'A status page as one row: its worst component, and how much goes on. Made by a query from the rows, so no two deliveries can overwrite it.';

-- +goose Down
drop view pawl.status_summary;
drop table pawl.status_incident;
drop table pawl.status_component;
