/** What a good engineer would write by hand for each route of the benchmark: one statement, JSON made by PostgreSQL. */

const PERSON = (alias: string): string =>
  `case when ${alias}.id is null then null else json_build_object('id', ${alias}.id, 'first_name', ${alias}.first_name,
    'last_name', ${alias}.last_name, 'name', ${alias}.first_name || ' ' || ${alias}.last_name, 'email', ${alias}.email) end`

const NAMED = (alias: string, extra = ''): string =>
  `case when ${alias}.id is null then null else json_build_object('id', ${alias}.id, 'name', ${alias}.name${extra}) end`

const SLA_STATE = `case when t.first_response_due_at is null and t.resolution_due_at is null then null
  when coalesce(t.first_response_at, t.resolved_at, t.paused_at, now()) > t.first_response_due_at
    or coalesce(t.resolved_at, t.paused_at, now()) > t.resolution_due_at then 'breached'
  when t.resolved_at is not null then 'met' when t.paused_at is not null then 'paused'
  when least(case when t.first_response_at is null then t.first_response_due_at end, t.resolution_due_at)
    < now() + interval '1 hour' then 'due_soon'
  else 'on_track' end`

const NUMBERED = (alias: string): string =>
  `case when ${alias}.id is null then null else json_build_object('id', ${alias}.id, 'uid', ${alias}.uid) end`

const TICKETS = (column: string): string =>
  `(select coalesce(json_agg(json_build_object('id', o.id, 'uid', o.uid) order by o.id), '[]')
    from tickets o where o.${column} = t.id and o.deleted_at is null)`

const OWN = `'id', t.id, 'uid', t.uid, 'subject', t.subject, 'details', t.details, 'due_date', t.due_date, 'tags', t.tags,
  'comments_count', (select count(*) from ticket_comments c where c.ticket_id = t.id),
  'status_id', t.status_id, 'priority_id', t.priority_id, 'category_id', t.category_id, 'department_id', t.department_id,
  'sub_category_id', t.sub_category_id, 'type_id', t.type_id, 'user_id', t.user_id, 'contact_id', t.contact_id, 'assigned_to', t.assigned_to,
  'merged_into_id', t.merged_into_id, 'split_from_id', t.split_from_id,
  'sla_state', ${SLA_STATE}, 'created_at', t.created_at, 'updated_at', t.updated_at`

const SIX = `'status', ${NAMED('s', ", 'slug', s.slug")}, 'priority', ${NAMED('p', ", 'color', p.color")},
  'category', ${NAMED('c')}, 'department', ${NAMED('d')}, 'user', ${PERSON('u')}, 'assignedTo', ${PERSON('a')}`

const SIX_JOINS = `left join statuses s on s.id = t.status_id left join priorities p on p.id = t.priority_id
  left join categories c on c.id = t.category_id left join departments d on d.id = t.department_id
  left join users u on u.id = t.user_id left join users a on a.id = t.assigned_to`

const SINGLE = `'external_number', t.external_number, 'first_response_at', t.first_response_at,
  'resolved_at', t.resolved_at, 'closed_at', t.closed_at, 'cc', t.cc, 'paused_at', t.paused_at,
  'first_response_due_at', t.first_response_due_at, 'resolution_due_at', t.resolution_due_at,
  'merged_into', ${NUMBERED('mi')},
  'split_from', ${NUMBERED('sf')}, 'merged', ${TICKETS('merged_into_id')}, 'splits', ${TICKETS('split_from_id')},
  'watchers', (select coalesce(json_agg(${PERSON('wu')} order by wu.id), '[]') from ticket_watchers w
    join users wu on wu.id = w.user_id and wu.status = 'active' and wu.deleted_at is null
    join roles wr on wr.id = wu.role_id and wr.slug <> 'customer' where w.ticket_id = t.id),
  'ratings', (select coalesce(json_agg(json_build_object('id', r.id, 'rating', r.rating, 'comment', r.comment,
    'solved_at', r.solved_at, 'rated_at', r.rated_at) order by r.id), '[]')
    from satisfaction_ratings r where r.ticket_id = t.id and r.rating is not null),
  'subCategory', ${NAMED('sc')}, 'ticketType', ${NAMED('ty')},
  'contact', case when co.id is null then null else json_build_object('id', co.id, 'first_name', co.first_name,
    'last_name', co.last_name, 'name', co.first_name || ' ' || co.last_name, 'email', co.email, 'phone', co.phone) end,
  'attachments', (select coalesce(json_agg(json_build_object('id', f.id, 'name', f.name, 'size', f.size, 'path', f.path,
    'mime_type', f.mime_type, 'created_at', f.created_at) order by f.id), '[]') from media f where f.ticket_id = t.id),
  'comments', (select coalesce(json_agg(json_build_object('id', k.id, 'comment', k.comment, 'is_internal', k.is_internal,
    'user', ${PERSON('ku')}, 'created_at', k.created_at) order by k.created_at), '[]') from ticket_comments k
    left join users ku on ku.id = k.user_id where k.ticket_id = t.id),
  'ticketEntries', (select coalesce(json_agg(json_build_object('id', m.id, 'conversation_id', m.conversation_id,
    'type', v.type, 'message', m.message, 'is_internal', m.is_internal, 'user', ${PERSON('mu')}, 'created_at', m.created_at)
    order by m.created_at), '[]') from messages m join conversations v on v.id = m.conversation_id and v.deleted_at is null
    left join users mu on mu.id = m.user_id where v.ticket_id = t.id)`

const SINGLE_JOINS = `${SIX_JOINS} left join categories sc on sc.id = t.sub_category_id left join types ty on ty.id = t.type_id
  left join contacts co on co.id = t.contact_id
  left join tickets mi on mi.id = t.merged_into_id and mi.deleted_at is null
  left join tickets sf on sf.id = t.split_from_id and sf.deleted_at is null`

const single = (from: string): string =>
  `select json_build_object(${OWN}, ${SIX}, ${SINGLE})::text from ${from} t ${SINGLE_JOINS}`

const NOTE = (from: string): string =>
  `select json_build_object('id', t.id, 'name', t.name, 'details', t.details, 'user_id', t.user_id, 'user', ${PERSON('u')},
    'created_at', t.created_at, 'updated_at', t.updated_at)::text from ${from} t left join users u on u.id = t.user_id`

/** The page first, the relations after: rows of `page` in its order, with a total where one is given. */
const rows = (order: string): string =>
  `select coalesce(json_agg(json_build_object(${OWN}, ${SIX}) order by ${order}), '[]')::text from page t ${SIX_JOINS}`

const FILTERED = 'from tickets where deleted_at is null and status_id = $1 and priority_id = $2'
const NEWEST = 'order by created_at desc, id desc'

const HAS = (word: string): string =>
  `(x.subject ilike ${word} or x.uid ilike ${word} or xs.name ilike ${word} or xs.slug ilike ${word} or xp.name ilike ${word})`

const MATCHES = `from tickets x join statuses xs on xs.id = x.status_id join priorities xp on xp.id = x.priority_id
  where x.deleted_at is null and ${HAS('$1')} and ${HAS('$2')}`

/** The comment has the word, or there is no word; each source by its own index. */
const SAYS = (
  word: string,
): string => `(${word} = '%' or x.id in (select s.id from tickets s where s.subject ilike ${word}
    union all select c.ticket_id from ticket_comments c where c.comment ilike ${word}))`
const SAID = `from tickets x where x.deleted_at is null and ${SAYS('$1')} and ${SAYS('$2')}`

const EVERY = `not exists (select 1 from ticket_comments c where c.ticket_id = x.id and c.comment not ilike '%and all%')`

/** Statement name → SQL; every list gives the JSON of its rows, and the total in a statement of its own. */
export const STATEMENTS = {
  get: `${single('tickets')} where t.id = $1 and t.deleted_at is null`,
  list: `with page as (select * ${FILTERED} ${NEWEST} limit 15) ${rows('t.created_at desc, t.id desc')}`,
  deep: `with page as (select * ${FILTERED} ${NEWEST} limit 15 offset $3) ${rows('t.created_at desc, t.id desc')}`,
  total: `select count(*)::text ${FILTERED}`,
  cursor: `with page as (select * ${FILTERED} and (created_at, id) < ($3::timestamptz, $4::integer) ${NEWEST} limit 15)
    ${rows('t.created_at desc, t.id desc')}`,
  short: `select coalesce(json_agg(json_build_object('id', t.id, 'subject', t.subject, 'created_at', t.created_at)
      order by t.created_at desc, t.id desc), '[]')::text
    from (select id, subject, created_at ${FILTERED} ${NEWEST} limit 15) t`,
  commented: `with page as (select * from tickets x where deleted_at is null and exists (select 1 from ticket_comments c
      where c.ticket_id = x.id and c.is_internal) ${NEWEST} limit 15)
    ${rows('t.created_at desc, t.id desc')}`,
  every: `with page as (select * from tickets x where deleted_at is null and ${EVERY} order by x.id limit 15) ${rows('t.id')}`,
  'every total': `select count(*)::text from tickets x where deleted_at is null and ${EVERY}`,
  said: `select coalesce(json_agg(json_build_object('id', t.id, 'subject', t.subject,
      'created_at', t.created_at, 'updated_at', t.updated_at) order by t.id), '[]')::text
    from (select x.* ${SAID} order by x.id limit 15) t`,
  'said total': `select count(*)::text ${SAID}`,
  summary: `select coalesce(json_agg(json_build_object('status_id', g.status_id, 'created_at:month', g.month, 'count', g.count,
      'status', ${NAMED('s', ", 'slug', s.slug")}) order by g.status_id, g.month), '[]')::text
    from (select status_id, date_trunc('month', created_at at time zone 'UTC')::date as month, count(*) from tickets
      where deleted_at is null group by 1, 2) g left join statuses s on s.id = g.status_id`,
  search: `with page as (select x.* ${MATCHES} order by x.id limit 15) ${rows('t.id')}`,
  matches: `select count(*)::text ${MATCHES}`,
  create: `with page as (insert into tickets (subject, details, priority_id, category_id, department_id, type_id, contact_id,
    assigned_to, status_id, tags, created_at, updated_at) values ($1, $2, $3, $4, $5, $6, $7, $8,
    (select id from statuses where is_default and deleted_at is null), '[]', now(), now()) returning *) ${single('page')}`,
  update: `with page as (update tickets set subject = $2, priority_id = $3, updated_at = now()
    where id = $1 and deleted_at is null returning *) ${single('page')}`,
  'create note': `with page as (insert into notes (name, details, user_id) values ($1, $2, $3) returning *) ${NOTE('page')}`,
  'create notes': `with page as (insert into notes (name, details, user_id)
    select x.name, x.details, x.user_id from jsonb_to_recordset($1::jsonb) as x(name text, details text, user_id integer) returning *),
    made(note) as (${NOTE('page')} order by t.id) select '[' || string_agg(made.note, ',') || ']' from made`,
  'update note': `with page as (update notes set name = $2, updated_at = now()
    where id = $1 and deleted_at is null returning *) ${NOTE('page')}`,
} as const
