-- What needs what, the long way round: types, functions, tables and views that only one order can make. Of our own.
create function is_code(value text) returns boolean language sql immutable as $$ select value ~ '^[A-Z]+$' $$;
create domain code as text default 'NONE' not null constraint upper_case check (is_code(value));
create domain short_code as code constraint short check (char_length(value) < 6);
create type colour as enum ('red', 'light "blue"', 'it''s');
create type size as (width int, height numeric(6, 2), tone colour);
create function distance(a integer, b integer) returns double precision language sql immutable as $$ select (a - b)::double precision $$;
create type span as range (subtype = integer, subtype_diff = distance);
create table makers (id serial primary key, code short_code unique, name text not null, best int);
create function label(maker makers) returns text language sql stable as $$ select maker.code || ': ' || maker.name $$;
create function next_mark() returns text language plpgsql volatile as $$ begin return 'M' || nextval('mark_seq'); end $$;
create sequence mark_seq start 100;
create table parts (id int generated always as identity primary key, maker_id int not null references makers, mark text not null default next_mark(),
  colours colour[] not null default '{red}', size size, life span, twice int generated always as (maker_id * 2) stored, shade colour default 'it''s', codes short_code[],
  exclude using gist (life with &&));
alter table makers add foreign key (best) references parts;
create table rare_parts (worth numeric(8, 2)) inherits (parts);
create table sales (id int not null, part_id int not null references parts, sold_on date not null, amount numeric(8, 2) not null check (amount > 0), primary key (id, sold_on)) partition by range (sold_on);
create table sales_2025 partition of sales for values from ('2025-01-01') to ('2026-01-01');
create table sales_2026 partition of sales for values from ('2026-01-01') to ('2027-01-01');
create function longer(a text, b text) returns text language sql immutable as $$ select case when char_length(b) > char_length(coalesce(a, '')) then b else a end $$;
create aggregate longest(text) (sfunc = longer, stype = text, initcond = '');
create view sold as select p.id as part_id, p.maker_id, sum(s.amount) as amount from parts p join sales s on s.part_id = p.id group by p.id;
create view maker_sales with (security_barrier = true) as select m.id, label(m) as label, coalesce(sum(sold.amount), 0) as amount from makers m left join sold on sold.maker_id = m.id group by m.id;
create materialized view best_makers as select s.id, longest(s.label) as label, max(s.amount) as amount from maker_sales s group by s.id;
create unique index best_makers_id on best_makers (id);
create function best() returns setof best_makers language sql stable as $$ select * from best_makers order by amount desc limit 1 $$;
create view the_best as select * from best();
create function note() returns trigger language plpgsql as $$ begin new.name := trim(new.name); return new; end $$;
create trigger note before insert or update on makers for each row execute function note();
create trigger note_no_more before insert on makers for each row execute function note();
alter table makers disable trigger note_no_more;
create function sell() returns trigger language plpgsql as $$ begin insert into makers (code, name) values ('VIEW', new.label); return new; end $$;
create trigger sell instead of insert on maker_sales for each row execute function sell();
create unique index makers_lower on makers (lower(name));
comment on table parts is E'What is made: "it''s" good.\nAnd sold.';
comment on column parts.mark is 'Given by next_mark().';
comment on sequence mark_seq is 'Counts marks.';
comment on sequence parts_id_seq is 'Of an identity.';
comment on view sold is 'By part.';
comment on column maker_sales.amount is 'Of all parts.';
comment on materialized view best_makers is 'Kept.';
comment on index makers_lower is 'Of names.';
comment on index parts_pkey is 'Of a constraint.';
comment on constraint sales_amount_check on sales is 'Nothing is free.';
comment on constraint upper_case on domain code is 'Letters.';
comment on domain code is 'Upper case.';
comment on type size is 'Outside.';
comment on column size.width is 'In millimetres.';
comment on function is_code(text) is 'For a domain.';
comment on aggregate longest(text) is 'Of several.';
comment on trigger note on makers is 'Trims.';
-- What has no function that prints it.
create operator === (leftarg = text, rightarg = text, function = longer);
create view the_longer as select 'a' === 'bb' as longest;
create rule quiet as on delete to rare_parts do also nothing;
alter table parts enable row level security;
create policy all_of_them on parts using (true);
-- What no statement of ours makes, and what stands on it.
create function alike(text, text) returns real as '$libdir/pg_trgm', 'similarity' language c immutable strict;
create view odd_one as select alike('a', 'ab') as alike;
create view odder_one as select alike from odd_one;

insert into makers (code, name) values ('ACME', ' Acme '), ('BOLT', 'Bolt');
insert into parts (maker_id, colours, size, life, codes) values (1, '{"light \"blue\"",it''s}', '(3,4.50,red)', '[1,5)', '{AB,CD}'), (2, '{}', null, '[5,9)', null);
insert into rare_parts (id, maker_id, worth) values (7, 2, 99.5);
update makers set best = 1 where id = 1;
insert into sales values (1, 1, '2025-05-05', 10), (2, 2, '2026-01-31', 2.5), (3, 1, '2026-02-01', 30);
refresh materialized view best_makers;
