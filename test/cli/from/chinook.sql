-- The shape of Chinook 1.4, the music shop of https://github.com/lerocha/chinook-database (MIT Licence, (c) Luis Rocha), written
-- down anew for this test: names with capital letters, keys that nobody counts, moments without a zone; and rows of our own.
create table "Artist" ("ArtistId" int not null, "Name" varchar(120), constraint "PK_Artist" primary key ("ArtistId"));
create table "Album" ("AlbumId" int not null, "Title" varchar(160) not null, "ArtistId" int not null,
  constraint "PK_Album" primary key ("AlbumId"));
create table "Employee" ("EmployeeId" int not null, "LastName" varchar(20) not null, "FirstName" varchar(20) not null,
  "Title" varchar(30), "ReportsTo" int, "BirthDate" timestamp, "HireDate" timestamp, "Email" varchar(60),
  constraint "PK_Employee" primary key ("EmployeeId"));
create table "Customer" ("CustomerId" int not null, "FirstName" varchar(40) not null, "LastName" varchar(20) not null,
  "Company" varchar(80), "Country" varchar(40), "Email" varchar(60) not null, "SupportRepId" int,
  constraint "PK_Customer" primary key ("CustomerId"));
create table "Genre" ("GenreId" int not null, "Name" varchar(120), constraint "PK_Genre" primary key ("GenreId"));
create table "MediaType" ("MediaTypeId" int not null, "Name" varchar(120), constraint "PK_MediaType" primary key ("MediaTypeId"));
create table "Track" ("TrackId" int not null, "Name" varchar(200) not null, "AlbumId" int, "MediaTypeId" int not null,
  "GenreId" int, "Composer" varchar(220), "Milliseconds" int not null, "Bytes" int, "UnitPrice" numeric(10, 2) not null,
  constraint "PK_Track" primary key ("TrackId"));
create table "Playlist" ("PlaylistId" int not null, "Name" varchar(120), constraint "PK_Playlist" primary key ("PlaylistId"));
create table "PlaylistTrack" ("PlaylistId" int not null, "TrackId" int not null,
  constraint "PK_PlaylistTrack" primary key ("PlaylistId", "TrackId"));
create table "Invoice" ("InvoiceId" int not null, "CustomerId" int not null, "InvoiceDate" timestamp not null,
  "BillingCountry" varchar(40), "Total" numeric(10, 2) not null, constraint "PK_Invoice" primary key ("InvoiceId"));
create table "InvoiceLine" ("InvoiceLineId" int not null, "InvoiceId" int not null, "TrackId" int not null,
  "UnitPrice" numeric(10, 2) not null, "Quantity" int not null, constraint "PK_InvoiceLine" primary key ("InvoiceLineId"));

alter table "Album" add constraint "FK_AlbumArtistId" foreign key ("ArtistId") references "Artist" ("ArtistId");
alter table "Employee" add constraint "FK_EmployeeReportsTo" foreign key ("ReportsTo") references "Employee" ("EmployeeId");
alter table "Customer" add constraint "FK_CustomerSupportRepId" foreign key ("SupportRepId") references "Employee" ("EmployeeId");
alter table "Track" add constraint "FK_TrackAlbumId" foreign key ("AlbumId") references "Album" ("AlbumId");
alter table "Track" add constraint "FK_TrackGenreId" foreign key ("GenreId") references "Genre" ("GenreId");
alter table "Track" add constraint "FK_TrackMediaTypeId" foreign key ("MediaTypeId") references "MediaType" ("MediaTypeId");
alter table "PlaylistTrack" add constraint "FK_PlaylistTrackPlaylistId" foreign key ("PlaylistId") references "Playlist" ("PlaylistId");
alter table "PlaylistTrack" add constraint "FK_PlaylistTrackTrackId" foreign key ("TrackId") references "Track" ("TrackId");
alter table "Invoice" add constraint "FK_InvoiceCustomerId" foreign key ("CustomerId") references "Customer" ("CustomerId");
alter table "InvoiceLine" add constraint "FK_InvoiceLineInvoiceId" foreign key ("InvoiceId") references "Invoice" ("InvoiceId");
alter table "InvoiceLine" add constraint "FK_InvoiceLineTrackId" foreign key ("TrackId") references "Track" ("TrackId");
create index "IFK_AlbumArtistId" on "Album" ("ArtistId");

insert into "Artist" values (1, 'The Kettles'), (2, 'Fjord'), (3, null);
insert into "Album" values (1, 'Boiling', 1), (2, 'North', 2);
insert into "Genre" values (1, 'Rock'), (2, 'Jazz');
insert into "MediaType" values (1, 'MPEG audio file'), (2, 'AAC audio file');
insert into "Track" values (1, 'Steam', 1, 1, 1, 'A. Pot', 343719, 11170334, 0.99), (2, 'Whistle', 1, 2, 1, null, 342562, null, 0.99),
  (3, 'Ice', 2, 2, 2, 'K. Fjell', 230619, 3990994, 1.99), (4, 'Loose', null, 1, null, null, 1000, null, 0.99);
insert into "Playlist" values (1, 'Music'), (2, 'Empty'), (3, null);
insert into "PlaylistTrack" values (1, 1), (1, 2), (1, 3), (3, 3);
insert into "Employee" values (1, 'Adams', 'Ann', 'General Manager', null, '1962-02-18 00:00:00', '2002-08-14 00:00:00', 'ann@example.com'),
  (2, 'Edwards', 'Eli', 'Sales Manager', 1, '1958-12-08 00:00:00', '2002-05-01 00:00:00', null);
insert into "Customer" values (1, 'Luis', 'Silva', null, 'Brazil', 'luis@example.com', 2), (2, 'Leonie', 'Kurz', 'Kurz GmbH', 'Germany', 'leonie@example.com', null);
insert into "Invoice" values (1, 2, '2009-01-01 00:00:00', 'Germany', 1.98), (2, 1, '2009-01-02 12:30:00.25', null, 1.99);
insert into "InvoiceLine" values (1, 1, 1, 0.99, 1), (2, 1, 2, 0.99, 1), (3, 2, 3, 1.99, 1);
