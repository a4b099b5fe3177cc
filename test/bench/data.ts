/** The data of the benchmark: 100,000 tickets or more over 10,000 users and 10,000 contacts, and comments on them, the same on every run. */

/** The filter of the lists matches exactly so many of each hundred thousand tickets. */
export const MATCHING = 11_041
/** Tickets unless more are asked for. */
export const TICKETS = 100_000
/** Records without hooks, whose writes show the engine alone. */
export const NOTE_COUNT = 500
/** Comments on the tickets unless others are asked for: four or five on most tickets, fifty more on a thousand. */
export const COMMENT_COUNT = 500_000

const NAMES = `(array['Anna','Ben','Chloe','David','Emma','Farid','Grace','Hugo','Ines','Jonas','Kira','Liam','Mona','Nils','Olga','Paul'])`
const THINGS = `(array['printer','invoice','password','order','delivery','screen','account','backup','keyboard','refund','network','licence'])`
const TROUBLES = `(array['does not start','is missing','was charged twice','shows an error','is slow today','needs an update','cannot be found','stopped working'])`

const ASKED = `(array['Please call me','We need this','Any news','I tried again','It is the same','A colleague has it too','Nobody can work','It was better'])`
const WHEN = `(array['today','before noon','at the weekend','since Monday','after the update','in the whole office','on every floor','at home'])`

/**
 * Indexes are made when the rows are there: filling them row by row takes several times as long. They stay what the engine
 * made, with the marks by which it knows them.
 */
const TAKE_INDEXES = `do $$ declare one record; begin
  create temporary table taken as select x.indexrelid::regclass::text as name, pg_get_indexdef(x.indexrelid) as made,
      obj_description(x.indexrelid, 'pg_class') as mark
    from pg_index x where not x.indisunique and x.indrelid in ('tickets'::regclass, 'ticket_comments'::regclass);
  for one in select * from taken loop execute 'drop index ' || one.name; end loop; end $$`
export const MAKE_INDEXES = `do $$ declare one record; begin
  for one in select * from taken loop
    execute one.made;
    execute format('comment on index %s is %L', one.name, one.mark);
  end loop; end $$`

const pick = (list: string, size: number, salt: number): string => `${list}[1 + (i * ${salt}) % ${size}]`

/**
 * SQL that fills the desk's own tables, which its YAML has made. Lookup rows come from the seeds where there are any.
 * Status and priority are those of the filter for a spread-out share of the tickets, and never both for the rest.
 * More tickets are a longer past: a month has as many of them, and the last one is as old.
 */
export const dataSql = (comments: number, tickets = TICKETS): readonly string[] => [
  `insert into departments (name) select 'Department ' || i from generate_series(1, 8) i`,
  `insert into categories (name) select 'Category ' || i from generate_series(1, 20) i`,
  `insert into types (name) select 'Type ' || i from generate_series(1, 6) i`,
  `insert into organizations (name) select 'Organization ' || i from generate_series(1, 500) i`,
  `insert into users (first_name, last_name, email, status, role_id)
    select ${pick(NAMES, 16, 7)}, 'User ' || i, 'user' || i || '@bench.example', 'active',
      (select id from roles where slug = case when i <= 200 then 'agent' else 'customer' end)
    from generate_series(1, 10000) i`,
  `insert into contacts (first_name, last_name, email, organization_id)
    select ${pick(NAMES, 16, 11)}, 'Contact ' || i, 'contact' || i || '@bench.example', 1 + i % 500 from generate_series(1, 10000) i`,
  `insert into notes (name, details, user_id) select 'Note ' || i, 'Tomorrow morning.', 1 + i % 1000
    from generate_series(1, ${NOTE_COUNT}) i`,
  "set maintenance_work_mem = '256MB'",
  TAKE_INDEXES,
  // As arrays, so many ids would be unpacked for every row.
  `create temporary table customer as select row_number() over (order by u.id) - 1 as n, u.id
    from users u join roles r on r.id = u.role_id where r.slug = 'customer'`,
  'create temporary table contact as select row_number() over (order by id) - 1 as n, id from contacts',
  `create temporary table word as select
    (select array_agg(id order by id) from statuses) as status, (select array_agg(id order by id) from priorities) as priority,
    (select array_agg(id order by id) from categories) as category, (select array_agg(id order by id) from departments) as department,
    (select array_agg(id order by id) from types) as type,
    (select array_agg(u.id order by u.id) from users u join roles r on r.id = u.role_id where r.slug = 'agent') as agent,
    (select count(*) from customer) as customers, (select count(*) from contact) as contacts`,
  `insert into tickets (subject, details, status_id, priority_id, category_id, department_id, type_id, user_id, contact_id,
      assigned_to, due_date, tags, created_at, updated_at)
    select initcap(${pick(THINGS, 12, 5)}) || ' ' || ${pick(TROUBLES, 8, 3)} || ' (' || md5(i::text) || ')',
      repeat('Since this morning it ' || ${pick(TROUBLES, 8, 3)} || '. ', 4),
      case when spread < ${MATCHING} then status[1] else status[2 + i % (cardinality(status) - 1)] end,
      case when spread < ${MATCHING} then priority[2] else priority[1 + i % cardinality(priority)] end,
      category[1 + i % cardinality(category)], department[1 + i % cardinality(department)], type[1 + i % cardinality(type)],
      customer.id, contact.id,
      agent[1 + i * 13 % cardinality(agent)], date '2026-01-01' + i % 300, jsonb_build_array('bench', 'tag-' || i % 50),
      at, at
    from (select i, (i::bigint * 7919) % ${TICKETS} as spread,
        timestamptz '2025-01-01' + (i - ${tickets - TICKETS}) * interval '5 minutes' as at
      from generate_series(1, ${tickets}) i) numbers cross join word
      join customer on customer.n = i * 31 % customers join contact on contact.n = i * 17 % contacts
    order by i`,
  // A ticket and its comments stand far from each other in the table, as on a desk where tickets are long at work.
  `insert into ticket_comments (comment, is_internal, ticket_id, user_id, created_at, updated_at)
    select ${pick(ASKED, 8, 3)} || ': the ' || ${pick(THINGS, 12, 7)} || ' ' || ${pick(TROUBLES, 8, 5)} || ' ' ||
        ${pick(WHEN, 8, 11)} || ', ' || ${pick(THINGS, 12, 1)} || ' and all (' || substr(md5('c' || i), 1, 12) || ')',
      i % 5 = 0, first + case when i % 10 = 0 then i % 1000 else (i::bigint * 7919 + i / ${tickets}) % ${tickets} end,
      case when i % 2 = 0 then agent[1 + i * 13 % cardinality(agent)] else customer.id end,
      at, at
    from (select i, timestamptz '2025-01-01' + i * interval '1 minute' as at from generate_series(1, ${comments}) i) numbers
      cross join word cross join (select min(id) as first from tickets) ids join customer on customer.n = i::bigint * 31 % customers
    order by i`,
  MAKE_INDEXES,
  'drop table word, customer, contact, taken',
  'analyze',
]
