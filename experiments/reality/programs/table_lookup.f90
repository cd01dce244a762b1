! Reads records of 1 kB of a table, at random, and adds up what they hold.
! table_lookup record|whole RECORDS DRAWS: read (rec=...) for each; or the whole table first, kept in memory.
! GFORTRAN_UNFORMATTED_BUFFER_SIZE is the other cure: the runtime reads 128 KiB around each record.
program table_lookup
  implicit none
  integer, parameter :: words = 128
  character(len=32) :: mode, text
  integer :: records, draws, draw, record
  integer(8) :: state, total, row(words)
  integer(8), allocatable :: table(:, :)
  call get_command_argument(1, mode)
  call get_command_argument(2, text)
  read (text, *) records
  call get_command_argument(3, text)
  read (text, *) draws
  if (mode == 'whole') then
    allocate (table(words, records))
    open (10, file='table', form='unformatted', access='stream', status='old', action='read')
    read (10) table
  else
    open (10, file='table', form='unformatted', access='direct', recl=8*words, status='old', action='read')
  end if
  state = 12345
  total = 0
  do draw = 1, draws
    state = mod(state*1103515245_8 + 12345_8, 2147483648_8)
    record = int(mod(state/64, int(records, 8))) + 1
    if (mode == 'whole') then
      row = table(:, record)
    else
      read (10, rec=record) row
    end if
    total = ieor(total, sum(iand(row, 65535_8)) + record)
  end do
  close (10)
  print '(i0)', total
end program table_lookup
