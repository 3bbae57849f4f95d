-- The country in which a place name that exists in several is looked for (ISO code, two letters).
alter table tenant add column home_country text;
