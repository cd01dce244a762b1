! Writes or reads a sequential unformatted file, one array in each record.
! Arguments: the verb (write or read), the file, and a text file with numbers: the bytes of one
! column (0 for arrays of one dimension), the number of records, and the bytes of each record.
program records
  use, intrinsic :: iso_fortran_env, only: int8, int64
  implicit none
  character(len=4096) :: verb, path, list
  integer(int64), allocatable :: lengths(:)
  integer(int8), allocatable :: block(:), table(:, :)
  integer(int64) :: column, count, i

  call get_command_argument(1, verb)
  call get_command_argument(2, path)
  call get_command_argument(3, list)

  open (20, file=trim(list), status='old', action='read')
  read (20, *) column
  read (20, *) count
  allocate (lengths(count))
  read (20, *) lengths
  close (20)
  allocate (block(maxval([lengths, 1_int64])), source=7_int8)

  if (verb == 'write') then
    open (10, file=trim(path), form='unformatted', status='replace', action='write')
  else
    open (10, file=trim(path), form='unformatted', status='old', action='read')
  end if
  do i = 1, count
    if (column > 0) then
      allocate (table(column, lengths(i)/column), source=7_int8)
      if (verb == 'write') then
        write (10) table
      else
        read (10) table
      end if
      deallocate (table)
    else if (verb == 'write') then
      write (10) block(1:lengths(i))
    else
      read (10) block(1:lengths(i))
    end if
  end do
  close (10)
end program records
