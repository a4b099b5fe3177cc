-- The shape of Pagila, the DVD rental of https://github.com/devrimgunduz/pagila (PostgreSQL Licence; after Sakila of MySQL AB, BSD),
-- written down anew for this test: fewer tables and columns, the kinds of columns that are peculiar to it, and rows of our own.
create type mpaa_rating as enum ('G', 'PG', 'PG-13', 'R', 'NC-17');
create domain year as integer constraint year_check check (value >= 1901 and value <= 2155);
create function last_updated() returns trigger language plpgsql as $$ begin new.last_update = current_timestamp; return new; end $$;

create table actor (actor_id serial primary key, first_name text not null, last_name text not null,
  last_update timestamp with time zone default now() not null);
create index idx_actor_last_name on actor (last_name);
create table language (language_id serial primary key, name character(20) not null,
  last_update timestamp with time zone default now() not null);
create table category (category_id serial primary key, name text not null,
  last_update timestamp with time zone default now() not null);
create table film (film_id serial primary key, title text not null, description text, release_year year,
  language_id integer not null references language on update cascade,
  original_language_id integer references language on update cascade,
  rental_duration smallint default 3 not null, rental_rate numeric(4, 2) default 4.99 not null, length smallint,
  replacement_cost numeric(5, 2) default 19.99 not null, rating mpaa_rating default 'G'::mpaa_rating,
  last_update timestamp with time zone default now() not null, special_features text[],
  fulltext tsvector not null default ''::tsvector);
comment on table film is 'What can be rented.';
comment on column film.length is 'In minutes.';
create table film_actor (actor_id integer not null references actor, film_id integer not null references film,
  last_update timestamp with time zone default now() not null, primary key (actor_id, film_id));
create table film_category (film_id integer not null references film, category_id integer not null references category,
  last_update timestamp with time zone default now() not null, primary key (film_id, category_id));
create table country (country_id serial primary key, country text not null,
  last_update timestamp with time zone default now() not null);
create table city (city_id serial primary key, city text not null, country_id integer not null references country,
  last_update timestamp with time zone default now() not null);
create table address (address_id serial primary key, address text not null, district text not null,
  city_id integer not null references city, phone text not null,
  last_update timestamp with time zone default now() not null);
create table staff (staff_id serial primary key, first_name text not null, last_name text not null,
  address_id integer not null references address, email text, store_id integer not null, active boolean default true not null,
  username text not null, picture bytea, last_update timestamp with time zone default now() not null);
create table store (store_id serial primary key, manager_staff_id integer not null references staff,
  address_id integer not null references address, last_update timestamp with time zone default now() not null);
create unique index idx_unq_manager_staff_id on store (manager_staff_id);
create table customer (customer_id serial primary key, store_id integer not null references store, first_name text not null,
  last_name text not null, email text, address_id integer not null references address, activebool boolean default true not null,
  create_date date default current_date not null, last_update timestamp with time zone default now());
create table inventory (inventory_id serial primary key, film_id integer not null references film,
  store_id integer not null references store, last_update timestamp with time zone default now() not null);
create table rental (rental_id serial primary key, rental_date timestamp with time zone not null,
  inventory_id integer not null references inventory, customer_id integer not null references customer,
  return_date timestamp with time zone, staff_id integer not null references staff,
  last_update timestamp with time zone default now() not null);
create unique index idx_unq_rental on rental (rental_date, inventory_id, customer_id);
create sequence payment_payment_id_seq;
create table payment (payment_id integer default nextval('payment_payment_id_seq') not null,
  customer_id integer not null references customer, staff_id integer not null references staff,
  rental_id integer not null references rental, amount numeric(5, 2) not null,
  payment_date timestamp with time zone not null, primary key (payment_date, payment_id)) partition by range (payment_date);
create table payment_p2022_01 partition of payment for values from ('2022-01-01') to ('2022-02-01');
create table payment_p2022_02 partition of payment for values from ('2022-02-01') to ('2022-03-01');
create view customer_list as select c.customer_id as id, c.first_name || ' ' || c.last_name as name, a.address, ci.city
  from customer c join address a using (address_id) join city ci using (city_id);
create trigger last_updated before update on actor for each row execute function last_updated();
create trigger last_updated before update on film for each row execute function last_updated();

insert into actor (first_name, last_name) values ('Ida', 'Berg'), ('Tom', 'Lund'), ('Eva', 'Holm');
insert into language (name) values ('English'), ('Italian');
insert into category (name) values ('Action'), ('Comedy');
insert into film (title, description, release_year, language_id, original_language_id, length, rating, special_features, fulltext) values
  ('The Long Way', 'Two people walk home.', 2006, 1, null, 86, 'PG', '{Trailers,Commentaries}', to_tsvector('simple', 'the long way')),
  ('Una Sera', null, null, 2, 2, null, null, null, to_tsvector('simple', 'una sera')),
  ('Nine Lives', 'A cat tells.', 2009, 1, null, 101, 'NC-17', '{}', to_tsvector('simple', 'nine lives'));
insert into film_actor (actor_id, film_id) values (1, 1), (2, 1), (3, 2), (1, 3);
insert into film_category (film_id, category_id) values (1, 1), (2, 2), (3, 2);
insert into country (country) values ('Norway'), ('Italy');
insert into city (city, country_id) values ('Bergen', 1), ('Lucca', 2);
insert into address (address, district, city_id, phone) values ('Strandgaten 1', '', 1, '123'), ('Via Roma 2', 'Centro', 2, '456');
insert into staff (first_name, last_name, address_id, email, store_id, username, picture) values
  ('Mia', 'Dahl', 1, 'mia@example.com', 1, 'mia', '\x89504e47'), ('Leo', 'Rossi', 2, null, 2, 'leo', null);
insert into store (manager_staff_id, address_id) values (1, 1), (2, 2);
alter table staff add foreign key (store_id) references store;
insert into customer (store_id, first_name, last_name, email, address_id) values (1, 'Nora', 'Vik', 'nora@example.com', 1), (2, 'Gino', 'Neri', null, 2);
insert into inventory (film_id, store_id) values (1, 1), (1, 2), (2, 2), (3, 1);
insert into rental (rental_date, inventory_id, customer_id, return_date, staff_id) values
  ('2022-01-24 21:21:05+00', 1, 1, '2022-01-28 20:05:00+00', 1), ('2022-02-14 15:16:03.5+00', 3, 2, null, 2);
insert into payment (customer_id, staff_id, rental_id, amount, payment_date) values
  (1, 1, 1, 4.99, '2022-01-28 20:05:00+00'), (2, 2, 2, 2.99, '2022-02-15 10:00:00+00'), (2, 1, 2, 1.00, '2022-02-16 10:00:00+00');
