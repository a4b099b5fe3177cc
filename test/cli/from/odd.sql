-- What databases of other programs have that the YAML has no word for, or another one: of our own.
create type mood as enum ('so so', 'good', '', 'it''s "fine"');
create type weekday as enum ('mon', 'tue');
create type pair as (x int, y int);
create table auth (id bigserial primary key, any_value int, "any" text default 'a: b #c', "not" boolean default false, page boolean,
  "User Name" varchar(40) not null default 'x', "größe" numeric, _hidden int, "order" int check ("order" between 1 and 5), "limit" smallint default 5);
comment on table auth is E'Called "auth": a name of Plinth''s.\nTwo lines.';
create table roles (code uuid primary key, id int unique, label varchar(3000), day weekday not null default 'mon', feeling mood,
  made_at timestamptz not null default clock_timestamp() - interval '1 day', created_at timestamp not null, "updatedAt" timestamptz not null);
create table "Order Details" (id serial primary key, role uuid not null references roles on delete cascade, note text);
create table kinds (kind numeric(4,0) primary key, name text);
create table "select" (no int generated always as identity primary key, counted int generated always as identity, kind_no int,
  twice int generated always as (kind_no * 2) stored, tags text[], at point, took interval, ip inet, raw json, doc jsonb default '{"a": [1]}', bits bit(3), duo pair, file bytea not null default '\x00');
create table profile (auth_id bigint primary key references auth, bio text, parent bigint references profile (auth_id) on delete set null);
create table two (a int, b int, primary key (a, b));
create table points (a int, b int, c int primary key, role_id int references roles (id), foreign key (a, b) references two);
create table lonely (text text);
create table needy (id int primary key, file bytea not null);
create table friends (one bigint not null references profile (auth_id), other bigint not null references profile (auth_id), primary key (one, other));
create table jobs (id uuid primary key default gen_random_uuid(), email varchar(80) not null, door char(4) unique, unique (email, door));
alter table jobs enable row level security;
create table marks (id serial primary key, name text unique, kind text not null default 'none' unique, chosen boolean not null unique, data jsonb unique,
  title text not null, notes text, short varchar(40), unique (title, notes), unique (short, id));
create table halves (id int primary key, note varchar(20) check (note ~ '^[a-z]+$'), least int, most int, check (least <= most)) partition by hash (id);
create table halves_0 partition of halves for values with (modulus 2, remainder 0);
create table halves_1 partition of halves for values with (modulus 2, remainder 1);
create table thirds (id serial primary key, half int references halves);
create schema elsewhere;
create table elsewhere.far (id serial primary key);
alter table points add column far int references elsewhere.far;
create materialized view counted as select count(*) from auth;

insert into auth (any_value, "größe", _hidden, "order", page) values (1, 1.25, 7, 3, true), (null, null, null, null, null);
insert into roles (code, id, feeling, created_at, "updatedAt") values ('01900000-0000-7000-8000-000000000001', 5, 'it''s "fine"', '2020-01-01', now());
insert into "Order Details" (role, note) select code, 'n' from roles;
insert into kinds values (1, 'one');
insert into "select" (kind_no, tags, at, took, ip, raw, bits, duo) values (4, '{a,"b c"}', '(1,2)', '1 day', '10.0.0.1', '{"a":1}', b'101', '(1,2)');
insert into profile values (1, 'bio', null), (2, null, 1);
insert into two values (1, 2);
insert into points values (1, 2, 3, 5);
insert into needy values (1, '\x00'), (0, '\x01'), (-7, '\x02');
insert into friends values (1, 2);
insert into marks (name, kind, chosen, data, title, notes, short) values (repeat('long ', 200), 'a', true, '{}', 't', 'n', 's');
insert into halves values (1, 'a'), (2, 'b');
insert into thirds (half) values (1), (2);
insert into jobs (email, door) values ('ann@example.com', 'B1');
