-- The shape of Northwind for PostgreSQL, of https://github.com/pthom/northwind_psql (after the sample of Microsoft, Ms-PL), written
-- down anew for this test: keys of letters, numbers of floating point, a table of lines whose key are two references, a table
-- called users, which the sample does not have, and one without a key; and rows of our own.
create table categories (category_id smallint not null primary key, category_name varchar(15) not null, description text, picture bytea);
create table customer_demographics (customer_type_id varchar(5) not null primary key, customer_desc text);
create table customers (customer_id varchar(5) not null primary key, company_name varchar(40) not null, contact_name varchar(30),
  city varchar(15), country varchar(15), phone varchar(24));
create table customer_customer_demo (customer_id varchar(5) not null references customers,
  customer_type_id varchar(5) not null references customer_demographics, primary key (customer_id, customer_type_id));
create table employees (employee_id smallint not null primary key, last_name varchar(20) not null, first_name varchar(10) not null,
  title varchar(30), birth_date date, hire_date date, photo bytea, notes text, reports_to smallint references employees, photo_path varchar(255));
create table suppliers (supplier_id smallint not null primary key, company_name varchar(40) not null, country varchar(15), homepage text);
create table products (product_id smallint not null primary key, product_name varchar(40) not null, supplier_id smallint references suppliers,
  category_id smallint references categories, quantity_per_unit varchar(20), unit_price real, units_in_stock smallint,
  discontinued integer not null);
create table region (region_id smallint not null primary key, region_description varchar(60) not null);
create table shippers (shipper_id smallint not null primary key, company_name varchar(40) not null, phone varchar(24));
create table territories (territory_id varchar(20) not null primary key, territory_description varchar(60) not null,
  region_id smallint not null references region);
create table employee_territories (employee_id smallint not null references employees,
  territory_id varchar(20) not null references territories, primary key (employee_id, territory_id));
create table orders (order_id smallint not null primary key, customer_id varchar(5) references customers,
  employee_id smallint references employees, order_date date, shipped_date date, ship_via smallint references shippers,
  freight real, ship_name varchar(40), ship_country varchar(15));
create table order_details (order_id smallint not null references orders, product_id smallint not null references products,
  unit_price real not null, quantity smallint not null, discount real not null, primary key (order_id, product_id));
create table us_states (state_id smallint not null primary key, state_name varchar(100), state_abbr varchar(2));
create table users (user_id serial primary key, login varchar(40) not null unique, state varchar(10) not null default 'new'
  check (state in ('new', 'active', 'gone')));
create table import_log (line text, noted timestamp with time zone default now());

insert into categories values (1, 'Beverages', 'Tea, and more tea', '\x151c'), (2, 'Condiments', null, null);
insert into customer_demographics values ('LOYAL', 'Comes again');
insert into customers values ('ALFKI', 'Alfreds Laden', 'Maria', 'Berlin', 'Germany', '030-1'), ('BLAUS', 'Blauer See', null, null, null, null);
insert into customer_customer_demo values ('ALFKI', 'LOYAL');
insert into employees values (1, 'Davis', 'Nan', 'Sales', '1948-12-08', '1992-05-01', null, 'Speaks French.', null, null),
  (2, 'Fuller', 'Andy', 'Vice President', '1952-02-19', '1992-08-14', '\x00ff', null, 1, 'http://example.com/2.bmp');
insert into suppliers values (1, 'Exotic Tea', 'UK', 'exotic.example'), (2, 'Cajun Spice', 'USA', null);
insert into products values (1, 'Chai', 1, 1, '10 boxes', 18, 39, 0), (2, 'Aniseed Syrup', 2, 2, '12 bottles', 10.25, null, 1);
insert into region values (1, 'Eastern'), (2, 'Western');
insert into shippers values (1, 'Speedy', '(503) 1'), (2, 'Federal', null);
insert into territories values ('01581', 'Westboro', 1), ('02116', 'Boston', 1);
insert into employee_territories values (1, '01581'), (2, '01581'), (2, '02116');
insert into orders values (10248, 'ALFKI', 1, '1996-07-04', '1996-07-16', 1, 32.38, 'Alfreds Laden', 'Germany'),
  (10249, null, null, null, null, null, null, null, null);
insert into order_details values (10248, 1, 14, 12, 0), (10248, 2, 9.8, 10, 0.15), (10249, 1, 18.6, 9, 0);
insert into us_states values (1, 'Alabama', 'AL');
insert into users (login) values ('maria'), ('nan');
insert into import_log (line) values ('one'), ('two');
